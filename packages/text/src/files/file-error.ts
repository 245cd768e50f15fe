/** What the file system refuses, for the person at the command line. */
import { relative } from 'node:path'
import { printable } from '../terminal-text.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied. Change its permissions, or choose another path',
  EEXIST: 'a part of its path is a file. Choose another path',
  EISDIR: 'it is a folder. Name a file',
  ELOOP: 'its symbolic links lead to each other. Choose another path',
  ENAMETOOLONG: 'its name is too long. Choose a shorter one',
  ENOENT: 'it does not exist. Check the path',
  ENOSPC: 'the disk is full. Free some space, and run the command again',
  ENOTDIR: 'a part of its path is a file. Choose another path',
  EPERM: 'the system does not permit it. Choose another path',
  EROFS: 'the file system is read-only. Choose another path',
}

type FileError = Partial<NodeJS.ErrnoException>

function reasonOf({ code = 'an error' }: FileError, isWritten = false): string {
  const reason =
    isWritten && code === 'ENOENT' ? 'its folder does not exist. Create it first' : REASONS[code]
  return reason === undefined ? `(${code})` : `(${code}): ${reason}`
}

/** A sentence for an error of the file system; undefined for any other. */
export function fileErrorText(error: unknown): string | undefined {
  const { code = '', path } = error as FileError
  if (path === undefined || REASONS[code] === undefined) return undefined
  return `${shownPath(path)} cannot be used ${reasonOf(error as FileError)}`
}

/**
 * Reads or writes a file or a folder.
 *
 * @throws {Error} which names it, says why it cannot be used, and what to do
 */
export function useFile<Value>(path: string, verb: 'read' | 'written', use: () => Value): Value {
  try {
    return use()
  } catch (cause) {
    const reason = reasonOf(cause as FileError, verb === 'written')
    throw new Error(`${shownPath(path)} cannot be ${verb} ${reason}`, { cause })
  }
}

/** A path as a person types it. */
export const shownPath = (path: string): string => printable(relative('.', path) || path, 1000)
