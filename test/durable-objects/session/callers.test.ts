import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { AuthClient } from '../../auth/server/support/client.ts'
import { Person, server } from '../../support/authorized-person.ts'
import {
  authorizedEvents,
  ISSUED_PROPS,
  REFRESHED_PROPS,
  unreachable,
} from '../../support/authorized-server.ts'
import type { FullContext } from '../../support/full-server.ts'
import { resealedAsNextVersion, sealOfNextVersion } from '../../support/next-version.ts'
import { testSealer } from '../../support/objects.ts'
import type { Handler } from '../../support/session-server.ts'
import type { WireMessage } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'

const CONFIRM = { key: 'confirm', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }
const YES = { action: 'accept', content: { ok: true } }
const REVOKED = 'The access of the caller has ended before this call was complete.'

/** A handler that asks once and answers with its caller before and after. */
function askingFor(seen: unknown[]): Handler {
  return async (ctx: FullContext) => {
    seen.push({ scopes: ctx.auth?.scopes, props: ctx.auth?.props })
    await ctx.elicit(CONFIRM)
    return 'done'
  }
}

function textOf(message: WireMessage): string {
  return message.result.content[0].text
}

describe('a run that resumes with the answer to its ask', () => {
  it('has the caller that started it, with the present props of its grant', async () => {
    verifies('elicitation/elicitation-is-bound-to-client-and-user')
    const { person, tokens } = await Person.connect()
    const seen: unknown[] = []
    const call = await person.stream(askingFor(seen))
    const question = await call.message()
    const refreshed = await (await person.client.refresh(tokens.refresh)).json<{ scope: string }>()
    expect(refreshed.scope).toBe('read write')
    // Another grant of the same client, with less scopes, brings the answer.
    const other = await person.client.tokens({ scope: 'read' })
    person.present(other.access)
    expect(await person.session.answer(question, YES)).toBe(202)
    expect(textOf(await call.message())).toBe('done')
    expect(seen).toEqual([
      { scopes: ['read', 'write'], props: ISSUED_PROPS },
      { scopes: ['read', 'write'], props: REFRESHED_PROPS },
    ])
  })

  it('receives the upstream token of its caller, also after the object was evicted', async () => {
    const { person } = await Person.connect()
    const tokens: (string | undefined)[] = []
    const call = await person.stream(async (ctx) => {
      tokens.push(await ctx.auth?.upstream.token())
      await ctx.elicit(CONFIRM)
      return 'done'
    })
    const question = await call.message()
    await person.evict()
    expect(await person.session.answer(question, YES)).toBe(202)
    expect(textOf(await call.message())).toBe('done')
    expect(tokens).toEqual(['token of owner with grant 22', 'token of owner with grant 22'])
  })

  it('has the client that started it when another client of the same subject answers', async () => {
    const { person } = await Person.connect()
    const clients: (string | undefined)[] = []
    const call = await person.stream(async (ctx) => {
      clients.push(ctx.auth?.clientId)
      await ctx.elicit(CONFIRM)
      return 'done'
    })
    const question = await call.message()
    const { access } = await (await AuthClient.register(server)).tokens()
    person.present(access)
    expect(await person.session.answer(question, YES)).toBe(202)
    expect(textOf(await call.message())).toBe('done')
    expect(clients).toEqual([person.client.id, person.client.id])
  })

  it('has the caller that started it also after the object lost its memory', async () => {
    const { person } = await Person.connect()
    const seen: unknown[] = []
    const call = await person.stream(askingFor(seen))
    const question = await call.message()
    await person.evict()
    const other = await person.client.tokens({ scope: 'read' })
    person.present(other.access)
    expect(await person.session.answer(question, YES)).toBe(202)
    expect(textOf(await call.message())).toBe('done')
    expect(seen).toEqual([
      { scopes: ['read', 'write'], props: ISSUED_PROPS },
      { scopes: ['read', 'write'], props: ISSUED_PROPS },
    ])
  })

  it('ends with an error when its row names no caller, which is not taken for an anonymous one', async () => {
    const { person } = await Person.connect()
    const seen: unknown[] = []
    const call = await person.stream(askingFor(seen))
    const question = await call.message()
    await runInDurableObject(await person.stub(), (_, { storage: { sql } }) => {
      sql.exec('UPDATE runs SET caller = NULL')
    })
    await person.evict()
    expect(await person.session.answer(question, YES)).toBe(202)
    const answer = await call.message()
    expect(answer.result.isError).toBe(true)
    expect(textOf(answer)).toContain(REVOKED)
    expect(seen).toHaveLength(1)
  })

  it.each(['in memory', 'after an eviction'])(
    'ends with an error when the grant of its caller was revoked (%s)',
    async (place) => {
      const { person, tokens } = await Person.connect()
      const seen: unknown[] = []
      const call = await person.stream(askingFor(seen))
      const question = await call.message()
      const other = await person.client.tokens()
      person.present(other.access)
      expect((await person.client.post('/revoke', { token: tokens.refresh })).status).toBe(200)
      if (place !== 'in memory') await person.evict()
      expect(await person.session.answer(question, YES)).toBe(202)
      const answer = await call.message()
      expect(answer.result.isError).toBe(true)
      expect(textOf(answer)).toContain(REVOKED)
      expect(seen).toHaveLength(1)
      expect(authorizedEvents).toContainEqual({
        type: 'cancelled',
        method: 'tools/call',
        reason: 'access-revoked',
      })
    },
  )

  it('ends with an error when the record of its caller does not open', async () => {
    const { person } = await Person.connect()
    const seen: unknown[] = []
    const call = await person.stream(askingFor(seen))
    const question = await call.message()
    await runInDurableObject(await person.stub(), (_, { storage }) => {
      storage.sql.exec(`UPDATE runs SET caller = substr(caller, 1, length(caller) - 8)`)
    })
    await person.evict()
    expect(await person.session.answer(question, YES)).toBe(202)
    expect(textOf(await call.message())).toContain(REVOKED)
    expect(seen).toHaveLength(1)
  })

  it('waits for an account that is unreachable, and resumes at an alarm', async () => {
    const { person } = await Person.connect()
    const seen: unknown[] = []
    const call = await person.stream(askingFor(seen))
    const question = await call.message()
    unreachable.renewals = 2
    expect(await person.session.answer(question, YES)).toBe(202)
    const stub = await person.stub()
    while (unreachable.renewals > 0) {
      await runDurableObjectAlarm(stub)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(seen).toHaveLength(1)
    await person.evict()
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(textOf(await call.message())).toBe('done')
    expect(seen).toHaveLength(2)
  })
})

describe('the record of a caller', () => {
  it('stores no props and no token, and is deleted when the run ends', async () => {
    const { person, tokens } = await Person.connect()
    const call = await person.stream(askingFor([]))
    const question = await call.message()
    const stub = await person.stub()
    const rowsOf = () =>
      runInDurableObject(stub, (_, { storage }) =>
        storage.sql.exec<{ caller: string; request: string }>('SELECT * FROM runs').toArray(),
      )
    const [row, ...more] = await rowsOf()
    expect(more).toEqual([])
    expect(row?.caller).toEqual(expect.any(String))
    const text = JSON.stringify(row)
    for (const secret of [ISSUED_PROPS.account, tokens.access, tokens.refresh, 'owner']) {
      expect(text).not.toContain(secret)
    }
    await person.session.answer(question, YES)
    await call.message()
    expect(await rowsOf()).toEqual([])
  })

  it.each([
    ['is read when only members were added', resealed, 'done'],
    ['is refused when its format is newer', sealOfNextVersion, REVOKED],
  ])('of the next version %s', async (_, change, expected) => {
    const { person } = await Person.connect()
    const call = await person.stream(askingFor([]))
    const question = await call.message()
    const [stub, name] = [await person.stub(), await person.sessionName()]
    const sql = <T>(run: (sql: SqlStorage) => T) =>
      runInDurableObject(stub, (_object, { storage }) => run(storage.sql))
    const [row] = await sql((rows) =>
      rows.exec<{ caller: string }>('SELECT caller FROM runs').toArray(),
    )
    const next = await change(row?.caller ?? '', name)
    await sql((rows) => rows.exec('UPDATE runs SET caller = ?', next).toArray())
    await person.evict()
    expect(await person.session.answer(question, YES)).toBe(202)
    expect(textOf(await call.message())).toContain(expected)
  })
})

function resealed(text: string, name: string): Promise<string> {
  const sealer = testSealer()
  return resealedAsNextVersion(sealer, 'run-caller/1', text, name)
}
