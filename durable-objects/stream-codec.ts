/**
 * What the protocols on stream sockets have in common: the request that opens a socket, codes of refusals and
 * closures, and messages. Two versions talk to each other, so each side ignores what it does not know. The messages
 * of each protocol are in `hub/hub-wire.ts` and `session/stream-wire.ts`.
 */
import { CHANGES, type Change, type ChangeKind, isChangeKind } from '../src/ports/change-kinds.ts'
import { isJsonObject } from '../src/protocol/json.ts'

/** Whether a request opens a stream socket. */
export function isSocketRequest({ headers }: Request): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket'
}

/** The name of a status or a close code; undefined for one that this version does not have. */
export function nameOfCode<T extends string>(
  codes: Record<T, number>,
  code: number,
): T | undefined {
  return (Object.keys(codes) as T[]).find((name) => codes[name] === code)
}

/** Undefined for a text that is not JSON, and for a value that `read` does not know or cannot read. */
export function parseJsonMessage<T>(text: string, read: (value: unknown) => T): T | undefined {
  try {
    return read(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** What a change is about; null for a change of a list. */
export function aboutOf(change: Change): string | null {
  const members: Readonly<Record<string, string | undefined>> = change
  return members[CHANGES[change.kind].about ?? ''] ?? null
}

export function changeOf(kind: ChangeKind, about: string | null): Change {
  const member = CHANGES[kind].about
  return (member === undefined ? { kind } : { kind, [member]: about ?? '' }) as Change
}

/** Undefined for a malformed change, and for a kind of a newer version, for which there is no notification. */
export function parseChange(value: unknown): Change | undefined {
  if (!isJsonObject(value) || !isChangeKind(value.kind)) return undefined
  const member = CHANGES[value.kind].about
  if (member === undefined) return changeOf(value.kind, null)
  const about = value[member]
  return typeof about === 'string' ? changeOf(value.kind, about) : undefined
}
