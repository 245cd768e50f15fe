/** Asks git about a folder whose repository may be hostile: no program that its settings name is started. */
import { spawnSync } from 'node:child_process'

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** Settings of a repository that name a program, and a form of output that does not depend on its settings. */
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
const PLAIN = ['--no-pager', '--no-optional-locks', '-c', 'core.quotePath=false']

/** The output of a command that only reads; undefined where git is not installed, or the command fails. */
export function askGit(folder: string, args: readonly string[], input = ''): string | undefined {
  const filters = disabledFilters(folder)
  return filters === undefined ? undefined : run(folder, [...filters, ...args], input)
}

/**
 * A filter converts a file before git compares it. Without it, a file whose times have changed counts as changed.
 *
 * @returns undefined where the settings cannot be read, or a filter cannot be disabled
 */
function disabledFilters(folder: string): readonly string[] | undefined {
  // Ends with 1 where no filter is configured.
  const listed = run(folder, ['config', '--name-only', '-z', '--get-regexp', String.raw`^filter\.`])
  const keys = (listed ?? '').split('\0').filter((key) => key !== '')
  // The text after the first `=` would be the value.
  if (listed === undefined || keys.some((key) => key.includes('='))) return undefined
  return [...new Set(keys)].flatMap((key) => [
    '-c',
    key.endsWith('.required') ? `${key}=false` : `${key}=`,
  ])
}

function run(folder: string, args: readonly string[], input = ''): string | undefined {
  // A hook of git that runs this command names another work tree.
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, ...outer } = process.env
  // Git fetches objects that a partial clone lacks, by a program that the repository names.
  const env = { ...outer, GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }
  const options = {
    encoding: 'utf8',
    input,
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
  } as const
  const { status, stdout } = spawnSync('git', [...PLAIN, ...SAFE, '-C', folder, ...args], options)
  // `check-ignore` and `config` end with 1 where they find nothing.
  return status === 0 || (status === 1 && stdout === '') ? stdout : undefined
}
