/**
 * Kills the protected server while a call waits for its person. The call continues for the caller that
 * started it, whichever token brings the answer, and ends when that caller's access has ended.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { obtainTokens, register } from '../../attacks/auth/client.ts'
import { postForm } from '../../attacks/auth/send.ts'
import { HttpSession } from '../../support/http-session.ts'
import { startFixtureServer } from '../../support/node/fixture-server.ts'
import { send } from './send.ts'
import { Session } from './session.ts'

const REVOKED = 'The access of the caller has ended before this call was complete.'

/** Starts a protected server with a call that waits, and kills it. It is started again by `revive`. */
async function killWhileAsking() {
  const state = await mkdtemp(join(tmpdir(), 'edgeway-callers-'))
  const port = await findFreePort()
  const start = () => startFixtureServer({ protected: true, state, port })
  let server = await start()
  onTestFinished(async () => {
    await server.stop()
    await rm(state, { recursive: true, force: true })
  })
  const issuer = new URL(server.url).origin
  const client = await register(issuer)
  const tokens = await obtainTokens(issuer, client)
  let token = tokens.access
  const withToken = (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${token}`)
    return send(new Request(request, { headers }))
  }
  const session = new Session(
    await HttpSession.open(
      { url: server.url, fetch: withToken },
      { capabilities: { elicitation: {} } },
    ),
  )
  const call = await session.stream('ask_count', { name: 'caller' })
  const ask = await call.message(1)
  const { lastId } = call
  process.kill(server.pid, 'SIGKILL')
  await server.stop()
  server = await start()
  return {
    session,
    ask,
    lastId,
    issuer,
    tokens,
    client,
    /** Continues with the token of another grant of the same client and person. */
    presentOtherGrant: async () => {
      token = (await obtainTokens(issuer, client)).access
    },
  }
}

describe('a call of the protected server that waited for its person when the server was killed', () => {
  it('completes when the token of another grant brings the answer', async () => {
    const { session, ask, lastId, presentOtherGrant } = await killWhileAsking()
    await presentOtherGrant()
    expect(await session.answer(ask, { ok: true })).toBe(202)
    const result = (await session.rest(lastId)).at(-1)?.result
    expect(result?.structuredContent).toEqual({ action: 'accept', ok: true })
    expect(await session.readCount('caller-first')).toBe(1)
    expect(await session.readCount('caller-second')).toBe(1)
  })

  it('ends with an error when the grant of its caller was revoked meanwhile', async () => {
    const { session, ask, lastId, issuer, tokens, client, presentOtherGrant } =
      await killWhileAsking()
    const form = { token: tokens.refresh, client_id: client.id }
    expect((await postForm(issuer, '/revoke', form)).status).toBe(200)
    await presentOtherGrant()
    expect(await session.answer(ask, { ok: true })).toBe(202)
    const result = (await session.rest(lastId)).at(-1)?.result
    expect(result?.isError).toBe(true)
    expect(result?.content?.[0]?.text).toContain(REVOKED)
    expect(await session.readCount('caller-second')).toBe(0)
  })
})
