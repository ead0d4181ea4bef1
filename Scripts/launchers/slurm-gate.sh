#!/usr/bin/env bash
#SBATCH --job-name=perfkit
#SBATCH --array=1-4
#SBATCH --exclusive
#SBATCH --time=01:00:00
#SBATCH --output=.perfkit/slurm-%A-%a.txt
#
# Runs the performance gate of the commit HEAD on several nodes, as a job array of Slurm: each task measures a shard, and needs
# a node for itself. The tasks of an array begin with 1. Submit it in the repository, with the base and further options of the
# gate, and join the results when all tasks have ended:
#
#   mkdir -p .perfkit
#   job=$(sbatch --parsable --array=1-8 slurm-gate.sh main --max-time 15min)
#   srun --dependency=afterany:$job perfkit gate --collect .perfkit/shards-$job --comment comment.md
set -euo pipefail
base=$(git rev-parse --verify "${1:?name the base, e.g. main}^{commit}")
shift
results=$PWD/.perfkit/shards-$SLURM_ARRAY_JOB_ID
mkdir -p "$results"

# A clone on the node: builds of several nodes in one repository would disturb each other.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/perfkit-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
git clone --quiet --shared . "$scratch/checkout"
cd "$scratch/checkout"

status=0
PERFKIT_STORE=$scratch/perfkit.sqlite perfkit gate --against "$base" "$@" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --verdict "$results/verdict-$SLURM_ARRAY_TASK_ID.json" || status=$?
# The collection judges the results. There are none after a usage error (64).
if [ "$status" -ge 64 ]; then exit "$status"; fi
