"""A repository of two commits to compare: a shell that counts to some thousands."""

import subprocess

FILES = {
    "perfkit.yml": "build: [sh, -c, 'true']\nproducts: .\n",
    "Scenarios/work.yml": """\
scenario: work
summary: Counts to some thousands in a shell.
command: [sh, work.sh]
iterations: 6
warmup: 0
gate: { margin: 10%, metrics: { cpu.total: {} } }
""",
    "work.sh": "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done\n",
}


def make(folder):
    """Makes the repository in a folder, whose other files git does not see."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)

    def git(*words):
        subprocess.run(
            ["git", "-c", "user.name=R", "-c", "user.email=r@example.org", *words], cwd=folder, check=True,
            stdout=subprocess.DEVNULL)

    git("init", "--quiet", "--initial-branch=main")
    (folder / ".git" / "info" / "exclude").write_text("*\n")
    for count in (2000, 2001):
        (folder / "work.sh").write_text(FILES["work.sh"].replace("2000", str(count)))
        git("add", "--force", *FILES)
        git("commit", "--quiet", "-m", f"Count to {count}")
