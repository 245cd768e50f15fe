/** The git work tree that the folder belongs to. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { askGit } from '../../text/src/files/git.ts'

/** `none`: the folder is in no work tree, or git is not installed. */
export type TreeState = 'clean' | 'changed' | 'none'

/** A submodule has settings of its own, and its files are not changed. */
const STATUS = [
  'status',
  ...['--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=all', '--no-renames'],
]

export function treeState(folder: string): TreeState {
  if (!isBelowGit(folder)) return 'none'
  if (askGit(folder, ['rev-parse', '--is-inside-work-tree'])?.trim() !== 'true') return 'none'
  // Git keeps no version of what it ignores.
  if (ignoredBy(folder, ['.']).size > 0) return 'none'
  const status = askGit(folder, STATUS)
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
  const listed = askGit(folder, ['check-ignore', '-z', '--stdin'], paths.join('\0'))
  return new Set((listed ?? '').split('\0').filter((path) => path !== ''))
}
