"""Checks the readers of source_text.py and the patterns of idioms.txt on small fixtures."""

import source_text

SWIFT = '''\
/// Returns the path.
///
/// - Throws: `Failure` when nobody answers.
func path() -> String { "https://example.org/" + "a b" } // A trailing comment.
/* A block /* in a block */ ends here. */
let one = "the file \\(name("inner")) is too large to read, "
  + "remove some of the rows first"
let sql = "SELECT a FROM b WHERE this is not one of the sentences"
let raw = #"no // comment and a "quote" stay in this literal"#
// MARK: Topic
let text = """
  several lines of text that // contain no comment at all
  """
@Test func `a missing file is reported with its path`() {}
let `default` = 1
'''

C = '''\
/** A block
 *  of two lines. */
int a = '"'; // behind a quote
const char *b = "a // b";
'''

# Text, and the idioms that it contains.
SENTENCES = {
    "What it measured is kept.": ["what as a noun"],
    "Copies what the handler wrote.": ["what as a noun"],
    "Runs after the launch.": [],
    "Somebody else asks.": ["nobody, somebody, whoever"],
    "The rows behind the header.": ["behind, of time or order"],
    "The file lies in the folder.": ["lies, of files or data"],
    "Reads. Of a run, the last.": ["Of ... first in a sentence"],
    "The caller is told.": ["told, tells"],
    "The one that ends.": ["one that, those that"],
    "It is to be closed.": ["is to be"],
    "Stops for good.": ["for good, for ever"],
    "A thread of ours.": ["of ours, of theirs"],
    "Calls `tells` and `behind`.": [],
    "Found \\(what.told) rows.": [],
    "It relies on believers; a foretold, whatever.": [],
}


def expect(what, found, wanted):
    """Raises AssertionError with both values when they differ."""
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")


def run(idioms, names_in):
    """Raises AssertionError at the first reader or pattern that errs."""
    comments = [(text.place, text.text) for text in source_text.comments("f.swift", SWIFT, True)]
    expect("Swift comments", comments, [
        ("f.swift:1", "Returns the path. - Throws: `Failure` when nobody answers."),
        ("f.swift:4", "A trailing comment. A block /* in a block */ ends here."),
    ])
    messages = [text.text for text in source_text.messages("f.swift", SWIFT, True)]
    expect("messages", messages, [
        'the file \\(name("inner")) is too large to read, remove some of the rows first',
        'no // comment and a "quote" stay in this literal',
        "\n  several lines of text that // contain no comment at all\n  ",
    ])
    names = [text.text for text in source_text.test_names("f.swift", SWIFT, True)]
    expect("test names", names, ["a missing file is reported with its path"])
    comments = [text.text for text in source_text.comments("f.c", C, False)]
    expect("C comments", comments, ["A block of two lines.", "behind a quote"])
    for sentence, wanted in SENTENCES.items():
        expect(sentence, names_in(sentence, idioms), wanted)
    print("idioms: the self-test passes")
