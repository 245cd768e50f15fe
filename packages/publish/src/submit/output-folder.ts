/**
 * The folder that a submission is written to. A file of hashes says what an earlier run has written: what has changed
 * since belongs to the author, and so does every other file.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import { printable } from '../../../text/src/terminal-text.ts'

/** Contents by path in the folder, with `/` between its parts. */
export type OutputFiles = ReadonlyMap<string, Uint8Array>

/** What is there of a file that would be written. */
export type FileState =
  /** Nothing. */
  | 'absent'
  /** What would be written. */
  | 'current'
  /** What an earlier run has written. */
  | 'outdated'
  /** The text of the author. */
  | 'edited'
  /** A folder or a link, or a folder around it that is a file or a link. */
  | 'obstructed'

export interface OutputFile {
  readonly path: string
  readonly state: FileState
  /** Undefined for a file of an earlier run that is not written any more. */
  readonly content: Uint8Array | undefined
}

export const HASHES_FILE = '.edgeway-submit.json'

/** Hashes of what earlier runs have written, by path. A run that ended in the middle leaves that of either content. */
export type Hashes = ReadonlyMap<string, readonly string[]>

/**
 * Empty when nothing was written, and for a file of hashes that someone has broken: its files are then the author's.
 *
 * @throws {CommandError} when the folder is a file
 */
export function readHashes(folder: string): Hashes {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new CommandError(`${printable(folder, 1000)} is not a folder`)
  }
  const found = lstatSync(join(folder, HASHES_FILE), { throwIfNoEntry: false })
  const value = found?.isFile() ? parseJson(readFileSync(join(folder, HASHES_FILE), 'utf8')) : {}
  const files = isJsonObject(value) && isJsonObject(value.files) ? Object.entries(value.files) : []
  return new Map(
    files.flatMap(([path, hashes]) => (isSafe(path) ? [[path, [hashes].flat().map(String)]] : [])),
  )
}

/** Whether a path stays within the folder, on every system. */
const isSafe = (path: string) =>
  path.split('/').every((part) => /^[A-Za-z0-9._+-]+$/.test(part) && !/^\.\.?$/.test(part))

/** Compares the folder with what would be written, and with what earlier runs have written beside it. */
export function compareOutput(folder: string, files: OutputFiles): readonly OutputFile[] {
  const hashes = readHashes(folder)
  const planned = [...files].map(([path, content]) => ({
    path,
    content,
    state: stateOf(folder, path, hashes, content),
  }))
  const former = [...hashes.keys()]
    .filter((path) => !files.has(path))
    .map((path) => ({ path, content: undefined, state: stateOf(folder, path, hashes, undefined) }))
  return [...planned, ...former.filter(({ state }) => state !== 'absent')]
}

function stateOf(
  folder: string,
  path: string,
  hashes: Hashes,
  content: Uint8Array | undefined,
): FileState {
  const there = contentAt(folder, path)
  if (there === 'absent' || there === 'obstructed') return there
  const hash = hashOf(there)
  if (content !== undefined && hash === hashOf(content)) return 'current'
  return hashes.get(path)?.includes(hash) === true ? 'outdated' : 'edited'
}

/** The content of a file in the folder. No link is followed. */
export function contentAt(folder: string, path: string): Uint8Array | 'absent' | 'obstructed' {
  const parts = path.split('/')
  for (let count = 1; count <= parts.length; count++) {
    const place = join(folder, ...parts.slice(0, count))
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found === undefined) return 'absent'
    const isExpected = count === parts.length ? found.isFile() : found.isDirectory()
    if (!isExpected) return 'obstructed'
  }
  return readFileSync(join(folder, path))
}

/** Of a text with the line ends of Unix: git may have written those of Windows. */
function hashOf(content: Uint8Array): string {
  const isText = !content.includes(0)
  const bytes = isText
    ? Buffer.from(content).toString('latin1').replaceAll('\r\n', '\n')
    : undefined
  const hash = createHash('sha256')
  return (bytes === undefined ? hash.update(content) : hash.update(bytes, 'latin1')).digest('hex')
}

/** Whether a run replaces or removes what is there. */
export const isWritten = ({ state }: OutputFile, force: boolean): boolean =>
  state === 'absent' || state === 'outdated' || (force && state === 'edited')

/**
 * Writes what is absent or outdated, and removes what is not written any more. With `force`, edited files too.
 *
 * @throws {CommandError} when a file cannot be written; each file is then either the earlier one or the new one
 */
export function writeOutput(folder: string, files: readonly OutputFile[], force: boolean): void {
  let path = folder
  const staged = new Map<string, string>()
  try {
    mkdirSync(folder, { recursive: true })
    const root = realpathSync(folder)
    const written = files.filter((file) => isWritten(file, force))
    for (const file of written) {
      path = join(root, file.path)
      if (file.content === undefined) continue
      mkdirSync(dirname(path), { recursive: true })
      const stage = `${path}.${randomUUID()}.tmp`
      staged.set(path, stage)
      writeFileSync(stage, file.content, { flag: 'wx' })
    }
    const hashes = hashesAfter(readHashes(root), files, force)
    writeHashes(root, union(readHashes(root), hashes))
    for (const [target, stage] of staged) {
      path = target
      renameSync(stage, target)
    }
    for (const file of written) if (file.content === undefined) rmSync(join(root, file.path))
    writeHashes(root, hashes)
  } catch (error) {
    throw new CommandError(
      `${printable(path, 1000)} cannot be written: ${(error as Error).message}`,
    )
  } finally {
    for (const stage of staged.values()) rmSync(stage, { force: true })
  }
}

function hashesAfter(earlier: Hashes, files: readonly OutputFile[], force: boolean): Hashes {
  const entries = files.flatMap((file): readonly (readonly [string, readonly string[]])[] => {
    const { path, content, state } = file
    if (content !== undefined && (state === 'current' || isWritten(file, force))) {
      return [[path, [hashOf(content)]]]
    }
    // What belongs to the author stays known, so that `--force` and a later run name it again.
    const known = earlier.get(path)
    return state === 'edited' && known !== undefined && !force ? [[path, known]] : []
  })
  return new Map(entries)
}

const union = (one: Hashes, other: Hashes): Hashes =>
  new Map(
    [...one.keys(), ...other.keys()].map((path) => [
      path,
      [...new Set([...(one.get(path) ?? []), ...(other.get(path) ?? [])])],
    ]),
  )

function writeHashes(root: string, hashes: Hashes): void {
  const sorted = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1))
  const files = Object.fromEntries(
    sorted.map(([path, [hash, ...others]]) => [
      path,
      others.length === 0 ? hash : [hash, ...others],
    ]),
  )
  const note = 'What edgeway submit has written, so that it does not overwrite your changes.'
  const stage = join(root, `${HASHES_FILE}.${randomUUID()}.tmp`)
  writeFileSync(stage, `${JSON.stringify({ note, files }, undefined, 2)}\n`, { flag: 'wx' })
  renameSync(stage, join(root, HASHES_FILE))
}
