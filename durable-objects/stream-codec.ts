/**
 * What the protocols on stream sockets have in common: the request that opens a socket, codes of refusals and
 * closures, and messages. Two versions talk to each other, so each side ignores what it does not know. The messages
 * of each protocol are in `hub/hub-wire.ts` and `session/stream-wire.ts`.
 */
import { CHANGE_KINDS, type Change } from '../src/ports/change-bus.ts'
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

/** Undefined for a malformed change, and for a kind of a newer version, for which there is no notification. */
export function parseChange(value: unknown): Change | undefined {
  if (!isJsonObject(value)) return undefined
  const kind = CHANGE_KINDS.find((known) => known === value.kind)
  const { uri, elicitationId, task } = value
  switch (kind) {
    case undefined:
      return undefined
    case 'resource_updated':
      return typeof uri === 'string' ? { kind, uri } : undefined
    case 'elicitation_complete':
      return typeof elicitationId === 'string' ? { kind, elicitationId } : undefined
    case 'task_updated':
      return typeof task === 'string' ? { kind, task } : undefined
    default:
      return { kind }
  }
}
