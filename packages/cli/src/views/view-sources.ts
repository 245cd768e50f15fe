/** The views of a folder: each is a script or a document, and has the name of its file. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath } from '../../../text/src/files/file-error.ts'

export interface ViewSource {
  /** Of the file, without its ending. */
  readonly name: string
  /** The name of the constant in the module. */
  readonly identifier: string
  readonly path: string
}

const SOURCE = /^(.+)\.(?:tsx|jsx|ts|js|html)$/
/** Tests, declarations, and what begins with `_` are no views. */
const OTHERS = /^_|\.(?:test|spec|d)\.tsx?$/
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/**
 * Files of folders in the folder are parts of views.
 *
 * @throws {CommandError}
 */
export function viewSources(folder: string): readonly ViewSource[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`There is no folder ${shownPath(folder)}. Name that of the views`)
  }
  const sources = new Map<string, ViewSource>()
  for (const file of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
    const name = SOURCE.exec(file.name)?.[1]
    if (!file.isFile() || name === undefined || OTHERS.test(file.name)) continue
    const path = join(folder, file.name)
    if (!NAME.test(name)) {
      throw new CommandError(
        `${shownPath(path)}: the name of a view is like note or note-list. A file that is no view begins with _ or is in a folder`,
      )
    }
    const other = sources.get(name)
    if (other !== undefined) {
      throw new CommandError(
        `${shownPath(other.path)} and ${shownPath(path)} are two views of one name: rename one, or move what is no view into a folder`,
      )
    }
    const identifier = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    sources.set(name, { name, identifier, path })
  }
  if (sources.size === 0) {
    throw new CommandError(`${shownPath(folder)} has no view, such as note.tsx or note.html`)
  }
  return [...sources.values()]
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) =>
  a.name < b.name ? -1 : 1
