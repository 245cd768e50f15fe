/** The ZIP of a plugin folder. The same files give the same bytes, on every computer. */
import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Zippable, zipSync } from 'fflate'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { compareOutput, contentAt, isWritten, type OutputFiles } from './output-folder.ts'
import { secretIn } from './secret-text.ts'

/** @see https://developers.openai.com/plugins/deploy/submission-errors */
export const ZIP_LIMITS = { bytes: 100 * 1024 * 1024, entries: 5000 } as const

/** Files of systems and editors, which are no part of a plugin. */
const SYSTEM_FILE = /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|__MACOSX|\.git|.*~|.*\.tmp)$/i

/** In local time, which the format stores. */
const FIXED_TIME = new Date(2000, 0, 1, 12)

const UNIX = 3
const READABLE_FILE = 0o100644 << 16

/**
 * The ZIP of a folder as a run leaves it: what the run writes, what the author has changed, and what the author has
 * added, such as `skills/`.
 *
 * @param prefix the folder of the plugin in the output folder
 * @param files what the run writes, by path in the output folder
 * @throws {CommandError} for a link, a secret, and a folder that is too large
 */
export function zipFolder(
  output: string,
  prefix: string,
  files: OutputFiles,
  force: boolean,
): Uint8Array {
  const compared = compareOutput(output, files)
  const contents = new Map<string, Uint8Array>()
  const removed = compared.filter((file) => file.content === undefined && isWritten(file, force))
  for (const path of addedFiles(output, prefix)) {
    const content = contentAt(output, path)
    if (typeof content === 'string') throw linkError(join(output, path))
    if (removed.every((file) => file.path !== path)) contents.set(path, content)
  }
  for (const file of compared) {
    const isKept = file.state === 'edited' && !force
    if (file.content !== undefined && !isKept) contents.set(file.path, file.content)
  }
  const inFolder = [...contents]
    .filter(([path]) => path.startsWith(`${prefix}/`))
    .map(([path, content]) => [path.slice(prefix.length + 1), content] as const)
  checkContents(inFolder)
  return zipOf(inFolder)
}

/** The files of the plugin folder on disk, by path in the output folder. */
function addedFiles(output: string, prefix: string): readonly string[] {
  const folder = join(output, prefix)
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const parts = relative(folder, path).split(/[\\/]/)
    if (parts.some((part) => SYSTEM_FILE.test(part)) || entry.isDirectory()) return []
    if (!entry.isFile()) throw linkError(path)
    return [`${prefix}/${parts.join('/')}`]
  })
}

function linkError(path: string): CommandError {
  return new CommandError(
    `${printable(path, 1000)} is no file: a plugin has no links. Copy the file`,
  )
}

function checkContents(files: readonly (readonly [path: string, content: Uint8Array])[]): void {
  if (files.length > ZIP_LIMITS.entries) {
    throw new CommandError(
      `The plugin has ${files.length} files, and ${ZIP_LIMITS.entries} are allowed`,
    )
  }
  for (const [path, content] of files) {
    if (isHook(path, content)) {
      throw new CommandError(
        `${printable(path, 1000)}: OpenAI publishes no plugin with lifecycle hooks or apps. Remove them`,
      )
    }
    const text = content.includes(0) ? '' : Buffer.from(content).toString('utf8')
    const secret = secretIn(text)
    if (secret !== undefined) throw new CommandError(`${printable(path, 1000)}: ${secret}`)
  }
}

const HOOK_FILE = /^(?:hooks\/|hooks\.json$|\.app\.json$)/
const MANIFEST = /^(?:\.codex-plugin\/)?plugin\.json$/

/** @see https://developers.openai.com/plugins/deploy/submission-errors */
function isHook(path: string, content: Uint8Array): boolean {
  if (HOOK_FILE.test(path)) return true
  const manifest = MANIFEST.test(path)
    ? parseJson(Buffer.from(content).toString('utf8'))
    : undefined
  return (
    isJsonObject(manifest) && ['hooks', 'apps'].some((member) => manifest[member] !== undefined)
  )
}

function zipOf(files: readonly (readonly [path: string, content: Uint8Array])[]): Uint8Array {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  // A path may be the name of a member that every object has.
  const entries: Zippable = Object.create(null)
  for (const [path, content] of sorted) {
    entries[path] = [content, { level: 9, mtime: FIXED_TIME, os: UNIX, attrs: READABLE_FILE }]
  }
  const zip = zipSync(entries)
  if (zip.length <= ZIP_LIMITS.bytes) return zip
  throw new CommandError(
    `The ZIP has ${zip.length} bytes, and ${ZIP_LIMITS.bytes} are allowed. Make its images smaller`,
  )
}
