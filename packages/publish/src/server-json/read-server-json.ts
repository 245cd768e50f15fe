/** Reads the `server.json` of the author, whose members such as `packages` and `_meta` stay. */
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath as shown, useFile } from '../../../text/src/files/file-error.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import type { ServerJson } from './server-json.ts'

/**
 * Undefined where there is no file.
 *
 * @throws {CommandError} for a file that is not a server.json, which is left as it is
 */
export function readServerJson(file: string): ServerJson | undefined {
  if (!existsSync(file)) return undefined
  const value = parseJson(useFile(file, 'read', () => readFileSync(file, 'utf8')))
  if (!isJsonObject(value)) {
    throw new CommandError(
      `${shown(file)} is not a JSON object. Correct or remove it: nothing was written`,
    )
  }
  if (isServerJson(file, value)) return value
  throw new CommandError(
    `${shown(file)} is not a server.json: its name has no slash. Name another file by --out: nothing was written`,
  )
}

/** Another file, such as package.json, also has a name and a version, which would be replaced. */
function isServerJson(file: string, { $schema, name }: ServerJson): boolean {
  if (name === undefined && basename(file) === 'server.json') return true
  if (typeof $schema === 'string' && $schema.includes('/server.schema.json')) return true
  return typeof name === 'string' && /^[A-Za-z0-9.-]+\//.test(name)
}
