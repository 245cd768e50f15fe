/** Accounts for one test, and the content of their storage. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { AccountObject } from '../../../durable-objects/account/account-object.ts'
import { createAccounts } from '../../../durable-objects/account/accounts.ts'
import type { DocumentsObject } from '../../../durable-objects/account/documents-object.ts'
import type { ThrottleObject } from '../../../durable-objects/account/throttle-object.ts'
import type { Account } from '../../../src/ports/accounts.ts'
import type { Kind } from '../../../src/ports/object-kinds.ts'
import { inPart, objectsOfKind, type TestObjects, type TestStub } from '../../support/objects.ts'
import type { LimitSet } from './limit-sets.ts'

export type Stub = TestStub<AccountObject>

const BINDINGS: Readonly<Record<LimitSet, DurableObjectNamespace>> = {
  default: env.MCP_OBJECTS,
  shortGrants: env.ACCOUNT_SHORT_GRANTS,
  shortRefreshTokens: env.ACCOUNT_SHORT_REFRESH_TOKENS,
  threeGrants: env.ACCOUNT_THREE_GRANTS,
  lowCaps: env.ACCOUNT_LOW_CAPS,
}

export function openAccounts(limits: LimitSet = 'default') {
  const deployment = crypto.randomUUID()
  const open = <Part>(kind: Kind): TestObjects<Part> => {
    const all = objectsOfKind<Part>(kind, undefined, BINDINGS[limits])
    return { named: (key) => all.named(`${deployment}-${key}`) }
  }
  const objects = {
    accounts: open<AccountObject>('account'),
    throttles: open<ThrottleObject>('throttle'),
    documents: open<DocumentsObject>('documents'),
  }
  const accounts = createAccounts(objects)
  return {
    accounts,
    objects,
    stubOfSubject: async (subject: string) =>
      objects.accounts.named(await accounts.nameOf(subject)),
  }
}

/** An account of a new deployment, with its object. */
export async function openAda(limits?: LimitSet) {
  const { accounts, objects, stubOfSubject } = openAccounts(limits)
  return { accounts, account: accounts.of('ada'), stub: await stubOfSubject('ada'), objects }
}

/**
 * Calls within the object, in one event, where they interleave at every await. Calls from outside are
 * separate events, and each mostly completes before the next begins.
 */
export const within = <T>(
  stub: Stub,
  subject: string,
  work: (account: Account) => Promise<T>,
): Promise<T> =>
  inPart<AccountObject, T>(stub, (part) => {
    const { objects } = openAccounts()
    const accounts = { named: () => part as unknown as Stub }
    return work(createAccounts({ ...objects, accounts }).of(subject))
  })

/** Lets other calls run first, for a number of turns of the microtask queue. */
export async function afterMicrotasks(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await null
}

/** Every row of every table, as text that can be compared. */
export const rowsOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'
         ORDER BY name`,
      )
      .toArray()
    return Object.fromEntries(
      tables.map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray().map(textOf)]),
    )
  })

/** The number of rows by table, without empty tables. */
export async function countsOf(stub: DurableObjectStub): Promise<Record<string, number>> {
  const rows = Object.entries(await rowsOf(stub)).filter(([name]) => name !== 'migrations')
  return Object.fromEntries(
    rows.map(([name, all]) => [name, all.length] as const).filter(([, count]) => count > 0),
  )
}

export const alarmOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

function textOf(row: Record<string, SqlStorageValue>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new Uint8Array(value).toHex() : String(value),
    ]),
  )
}
