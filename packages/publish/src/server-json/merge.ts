/** Merges the computed members of `server.json` into the file of the author, whose other members stay. */
import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { listIn } from '../../../text/src/json/members.ts'
import { quoted } from '../../../text/src/quoted.ts'
import type { ServerJson } from './server-json.ts'

export interface Merged {
  readonly value: ServerJson
  /** What differs from the file, a line for each. Empty when the file is up to date. */
  readonly changes: readonly string[]
}

/** @param existing undefined where there is no file */
export function mergeServerJson(existing: ServerJson | undefined, computed: ServerJson): Merged {
  if (existing === undefined) return { value: computed, changes: ['the file does not exist'] }
  const remotes = listIn(computed, 'remotes').map((remote) => withAdded(existing, remote))
  const value = { ...existing, ...computed, remotes }
  const changes = Object.entries(value).flatMap(([name, now]) =>
    changesOf(name, existing[name], now),
  )
  return { value, changes }
}

/** A remote of the same type and URL keeps members that the author has added, such as headers. */
function withAdded(existing: ServerJson, remote: unknown): unknown {
  if (!isJsonObject(remote)) return remote
  const before = listIn(existing, 'remotes').find(
    (other) => isJsonObject(other) && other.type === remote.type && other.url === remote.url,
  )
  return isJsonObject(before) ? { ...before, ...remote } : remote
}

function changesOf(name: string, before: unknown, now: unknown): readonly string[] {
  if (isDeepStrictEqual(before, now)) return []
  if (before === undefined) return [`${name} is added: ${quoted(now)}`]
  if (name !== 'remotes') return [`${name} is ${quoted(before)}, and becomes ${quoted(now)}`]
  const urlsOf = (list: unknown) =>
    listIn({ list }, 'list').map((remote) => (isJsonObject(remote) ? remote.url : remote))
  const removed = urlsOf(before).filter((url) => !urlsOf(now).includes(url))
  const added = urlsOf(now).filter((url) => !urlsOf(before).includes(url))
  return [
    ...removed.map((url) => `the remote ${quoted(url)} is removed`),
    ...added.map((url) => `the remote ${quoted(url)} is added`),
    ...(removed.length + added.length === 0 ? ['a remote changes'] : []),
  ]
}
