/** A deployment's accounts of its own for one test, and what lies in their storage. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { AccountObjectClass } from '../../../durable-objects/account/account-object.ts'
import { type AccountNamespace, createAccounts } from '../../../durable-objects/account/accounts.ts'
import type { Account } from '../../../src/ports/accounts.ts'
import type { LimitSet } from '../../contracts/accounts/limit-sets.ts'

export type AccountObject = InstanceType<AccountObjectClass>
export type Stub = DurableObjectStub<AccountObject>

const BINDINGS: Readonly<Record<LimitSet, DurableObjectNamespace<AccountObject>>> = {
  default: env.MCP_ACCOUNT,
  shortGrants: env.ACCOUNT_SHORT_GRANTS,
  shortRefreshTokens: env.ACCOUNT_SHORT_REFRESH_TOKENS,
  threeGrants: env.ACCOUNT_THREE_GRANTS,
  lowCaps: env.ACCOUNT_LOW_CAPS,
}

export function openAccounts(limits: LimitSet = 'default') {
  const deployment = crypto.randomUUID()
  const stubOf = (name: string): Stub => BINDINGS[limits].getByName(`${deployment}/${name}`)
  const namespace: AccountNamespace = { getByName: stubOf }
  const accounts = createAccounts(namespace)
  return {
    accounts,
    namespace,
    stubOf,
    stubOfSubject: async (subject: string) => stubOf(await accounts.nameOf(subject)),
  }
}

/**
 * Calls within the object, in one event: there they take turns at every await. Calls from outside
 * are events of their own, and each is mostly through before the next begins.
 */
export const within = <T>(
  stub: Stub,
  subject: string,
  work: (account: Account) => Promise<T>,
): Promise<T> =>
  runInDurableObject(stub, (instance: AccountObject) =>
    work(createAccounts({ getByName: () => instance }).of(subject)),
  )

/** Lets others go first, for so many turns. */
export async function afterTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await null
}

/** Every row of every table, as text that two of them can be compared by. */
export const rowsOf = (stub: Stub) =>
  runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'
         ORDER BY name`,
      )
      .toArray()
    return Object.fromEntries(
      tables.map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray().map(spelt)]),
    )
  })

/** How many rows there are of what, without the empty tables. */
export async function countsOf(stub: Stub): Promise<Record<string, number>> {
  const rows = Object.entries(await rowsOf(stub)).filter(([name]) => name !== 'migrations')
  return Object.fromEntries(
    rows.map(([name, all]) => [name, all.length] as const).filter(([, count]) => count > 0),
  )
}

export const alarmOf = (stub: Stub) =>
  runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

function spelt(row: Record<string, SqlStorageValue>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new Uint8Array(value).toHex() : String(value),
    ]),
  )
}
