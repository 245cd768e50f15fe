/** Implements `ctx.state`: handles and keyed values over the entries of their owner, each operation a step. */

import type { Call } from '../../dispatch/call.ts'
import { checkKey } from '../../dispatch/journal/journal.ts'
import { bound } from '../../feature/binding.ts'
import { deepFreeze } from '../../platform/deep-freeze.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import type { EntryWrite, EntryWritten, StateEntries } from '../../ports/state-store.ts'
import { canonicalText } from '../../protocol/canonical-json.ts'
import { principalDigest } from '../../protocol/principal.ts'
import type { KeyedState, StateContext, StateErrorReason } from '../../server/state.ts'
import { ToolError } from '../../server/tool-error.ts'
import type { Operations } from '../asks/run-round.ts'
import { openHandle, ownerOf, sealHandle } from './state-handles.ts'
import type { StateLimits } from './state-limits.ts'

/** Lifetime of a handle whose tool names none, in milliseconds. */
const DEFAULT_TTL_MS = 24 * 60 * 60 * 1000

const MESSAGES = {
  'unknown-handle':
    'There is no state with this handle: it has expired, was deleted, or belongs to another caller. Create it again.',
  'unknown-key': 'There is no value with this key to update: set it first.',
  changed: 'The state has changed since it was read. Read it again, then repeat the change.',
  'too-many':
    'The limit of stored values is reached. Delete one that is no longer needed, or wait until one expires.',
  'no-session':
    'This tool keeps values in the session of its client, and this call has no session. Connect with a client that opens one.',
  'no-principal':
    'This tool keeps values of signed-in callers, and this call is anonymous. Sign in.',
} as const satisfies Partial<Record<StateErrorReason, string>>

type Entry = { readonly entries: StateEntries; readonly name: string }

export function createState(call: Call, operations: Operations, limits: StateLimits): StateContext {
  const entryOf = async (handle: unknown): Promise<Entry | undefined> => {
    const opened = await openHandle(call, handle)
    return opened && { entries: storeOf(call).of(opened.owner), name: `handle ${opened.id}` }
  }
  const lifetimeOf = (ttlMs: number) => {
    if (!(typeof ttlMs === 'number' && ttlMs > 0)) {
      throw new TypeError('ttlMs must be a number of milliseconds above 0')
    }
    return Math.ceil(Math.min(ttlMs, limits.ttlMs))
  }
  return {
    create: async (value, { ttlMs = DEFAULT_TTL_MS } = {}) => {
      const lifetimeMs = lifetimeOf(ttlMs)
      const json = toStoredJson(value, limits.bytes)
      const change = {
        mustExist: false,
        expected: undefined,
        lifetimeMs,
        limit: limits.perPrincipal,
      }
      const created = await operations.run('state-create', '', async (operation) => {
        // The same when the operation is repeated. The seal is what cannot be guessed.
        const id = await sha256Base64Url(operation)
        const owner = (await ownerOf(call.request)) ?? id
        const entry = { entries: storeOf(call).of(owner), name: `handle ${id}` }
        const written = await writeEntry(entry, json, { ...change, operation })
        return { written, handle: await sealHandle(call, { owner, id }) }
      })
      check(created.written, 'unknown-handle')
      return created.handle
    },
    get: async <T>(handle: string) => {
      const found = await operations.run('state-get', handle, async () => {
        const entry = await entryOf(handle)
        return entry === undefined ? null : readEntry(entry)
      })
      if (found === null) throw failure('unknown-handle')
      return deepFreeze(found.value as T)
    },
    update: async (handle, value, { expected, ttlMs } = {}) => {
      const lifetimeMs = ttlMs === undefined ? undefined : lifetimeOf(ttlMs)
      const json = toStoredJson(value, limits.bytes)
      const change = { mustExist: true, expected, lifetimeMs, limit: limits.perPrincipal }
      const written = await operations.run('state-update', handle, async (operation) => {
        const entry = await entryOf(handle)
        return entry === undefined ? 'absent' : writeEntry(entry, json, { ...change, operation })
      })
      check(written, 'unknown-handle')
    },
    delete: async (handle) => {
      const deleted = await operations.run('state-delete', handle, async (operation) => {
        const entry = await entryOf(handle)
        return entry === undefined ? false : entry.entries.delete(entry.name, operation)
      })
      if (!deleted) throw failure('unknown-handle')
    },
    session: createKeyed(operations, 'session', limits.bytes, limits.perSession, () => {
      const { session } = call.run
      if (session === undefined) throw failure('no-session')
      return session.entries
    }),
    principal: createKeyed(operations, 'principal', limits.bytes, limits.perPrincipal, async () => {
      const { auth } = call.request
      if (auth === undefined) throw failure('no-principal')
      return storeOf(call).of(await principalDigest(auth))
    }),
  }
}

/** The values of a session or a principal, by key. */
function createKeyed(
  operations: Operations,
  scope: 'session' | 'principal',
  maxBytes: number,
  limit: number,
  entriesOf: () => StateEntries | Promise<StateEntries>,
): KeyedState {
  const run = <T>(
    kind: string,
    key: unknown,
    work: (entry: Entry, operation: string) => Promise<T>,
  ): Promise<T> => {
    checkKey(key)
    const entryName = `key ${key}`
    return operations.run(`state-${scope}-${kind}`, entryName, async (operation) =>
      work({ entries: await entriesOf(), name: entryName }, operation),
    )
  }
  const write = async (
    kind: 'set' | 'update',
    key: unknown,
    value: unknown,
    expected?: unknown,
  ) => {
    checkKey(key)
    const json = toStoredJson(value, maxBytes)
    const change = { mustExist: kind === 'update', expected, lifetimeMs: undefined, limit }
    const written = await run(kind, key, (entry, operation) =>
      writeEntry(entry, json, { ...change, operation }),
    )
    check(written, 'unknown-key')
  }
  return {
    get: async <T>(key: string) => {
      const found = await run('get', key, readEntry)
      return found === null ? undefined : deepFreeze(found.value as T)
    },
    set: (key, value) => write('set', key, value),
    update: (key, value, { expected } = {}) => write('update', key, value, expected),
    delete: async (key) => {
      await run('delete', key, ({ entries, name }, operation) => entries.delete(name, operation))
    },
  }
}

async function readEntry({ entries, name }: Entry): Promise<{ readonly value: unknown } | null> {
  const text = await entries.read(name)
  return text === undefined ? null : { value: JSON.parse(text) }
}

interface Change extends Omit<EntryWrite, 'value' | 'digest' | 'expected'> {
  readonly expected: unknown
}

async function writeEntry(
  { entries, name }: Entry,
  value: string,
  { expected, ...change }: Change,
): Promise<EntryWritten> {
  const [digest, expectedDigest] = await Promise.all([
    digestOf(value),
    expected === undefined ? undefined : digestOf(toJson(expected)),
  ])
  return entries.write(name, { ...change, value, digest, expected: expectedDigest })
}

/** @throws {ToolError} `too-large` */
function toStoredJson(value: unknown, maxBytes: number): string {
  const json = toJson(value)
  const bytes = new TextEncoder().encode(json).byteLength
  if (bytes > maxBytes) {
    throw new ToolError(
      `The value has ${bytes} bytes of JSON, and at most ${maxBytes} can be stored. Store less.`,
      { reason: 'too-large' },
    )
  }
  return json
}

/** @throws {TypeError} for a value that JSON cannot represent */
function toJson(value: unknown): string {
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new TypeError('A value of ctx.state must be JSON')
  return json
}

function digestOf(json: string): Promise<string> {
  return sha256Base64Url(canonicalText(JSON.parse(json)))
}

const storeOf = ({ services }: Call) =>
  bound(services.state(), 'ctx.state needs the binding MCP_OBJECTS')

function check(written: EntryWritten, absent: 'unknown-handle' | 'unknown-key'): void {
  if (written === 'absent') throw failure(absent)
  if (written === 'changed') throw failure('changed')
  if (written === 'full') throw failure('too-many')
}

function failure(reason: keyof typeof MESSAGES): ToolError {
  return new ToolError(MESSAGES[reason], { reason })
}
