/** The git work tree that the folder belongs to. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `none`: the folder is in no work tree, or git is not installed. */
export type TreeState = 'clean' | 'changed' | 'none'

export function treeState(folder: string): TreeState {
  if (!isBelowGit(folder)) return 'none'
  if (git(folder, ['rev-parse', '--is-inside-work-tree'])?.trim() !== 'true') return 'none'
  // Git keeps no version of what it ignores.
  if (ignoredBy(folder, ['.']).size > 0) return 'none'
  const status = git(folder, ['status', '--porcelain', '-z', '--untracked-files=normal'])
  if (status === undefined) return 'none'
  return status === '' ? 'clean' : 'changed'
}

/** Spares a program where no folder above has a repository, or a file that leads to one. */
function isBelowGit(folder: string): boolean {
  const parent = dirname(folder)
  return existsSync(join(folder, '.git')) || (parent !== folder && isBelowGit(parent))
}

/** Those of the paths, relative to the folder, that git ignores. */
export function ignoredBy(folder: string, paths: readonly string[]): ReadonlySet<string> {
  if (paths.length === 0) return new Set()
  const listed = git(folder, ['check-ignore', '-z', '--stdin'], paths.join('\0'))
  return new Set((listed ?? '').split('\0').filter((path) => path !== ''))
}

/** The monitor of file systems is a program that a repository names. */
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false']
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

function git(folder: string, args: readonly string[], input = ''): string | undefined {
  // A hook of git that runs this command names another work tree.
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, ...env } = process.env
  const options = { encoding: 'utf8', input, env, maxBuffer: MAX_OUTPUT_BYTES } as const
  const { status, stdout } = spawnSync('git', [...SAFE, '-C', folder, ...args], options)
  // `check-ignore` ends with 1 where it ignores nothing.
  return status === 0 || (status === 1 && stdout === '') ? stdout : undefined
}
