/** The author's hooks, before tokens are issued. */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import type { AuthHooks, IssueAnswer, IssueEvent } from '../../../../src/auth/index.ts'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf } from '../support/answers.ts'
import { Browser } from '../support/browser.ts'
import { AuthClient, statusWith, tokensOf } from '../support/client.ts'
import { advance } from '../support/deployment.ts'
import { expectRefusal, open as openFlow } from '../support/flow.ts'
import { OpenIdProvider } from '../support/provider.ts'

const open = (hooks: AuthHooks) => openFlow({ hooks })

const fail = () => {
  throw new Error('the directory is down')
}

/** A hook that keeps its events. */
function recorder(resultOf: (count: number) => IssueAnswer = () => ({})) {
  const events: IssueEvent[] = []
  const hook = (event: IssueEvent) => {
    events.push(event)
    return resultOf(events.length)
  }
  return { events, hook }
}

/** Every claim that the server sets itself. */
const RESERVED = {
  ...{ iss: 'x', sub: 'x', aud: 'x', exp: 1, nbf: 9_999_999_999, iat: 1, jti: 'x' },
  ...{ client_id: 'x', scope: 'x', cnf: { jkt: 'x' }, gid: 'x', gk: 'x' },
}

describe('onIssue', () => {
  it('is called with the grant before its first token is issued, and sets its props', async () => {
    const [issued, refreshed] = [recorder(() => ({ props: { team: 'blue' } })), recorder()]
    const { server, client } = await open({ onIssue: issued.hook, onRefresh: refreshed.hook })
    const { refresh } = await client.tokens({ scope: 'read' })
    await client.refresh(refresh)
    expect(issued.events).toEqual([
      {
        subject: 'owner',
        client: { id: client.id, name: 'A client' },
        scopes: ['read'],
        resource: 'https://mcp.example.com/mcp',
        props: undefined,
        env: server.bindings,
      },
    ])
    expect(refreshed.events.map(({ props }) => props)).toEqual([{ team: 'blue' }])
  })

  it('adds claims to the access token, and replaces none of the server', async () => {
    const onIssue = async () => ({ claims: { team: 'blue', ...RESERVED } })
    const { server, client } = await open({ onIssue })
    const { access } = await client.tokens()
    expect(decodeJwt(access)).toEqual({
      iss: 'https://mcp.example.com',
      sub: 'owner',
      aud: 'https://mcp.example.com/mcp',
      iat: 4_102_444_800,
      exp: 4_102_531_200,
      jti: expect.stringMatching(/-/),
      client_id: client.id,
      scope: 'read write',
      gid: expect.stringMatching(/../),
      gk: expect.stringMatching(/../),
      team: 'blue',
    })
    expect(await statusWith(server, access)).toBe(200)
  })

  it('refuses the tokens with invalid_grant when it throws, and ends the grant', async () => {
    let broken = true
    const { server, client } = await open({ onIssue: () => (broken ? fail() : {}) })
    const code = await client.code()
    const response = await client.redeem(code)
    expect(await response.clone().text()).not.toContain('directory')
    await expectRefusal(response, 'invalid_grant')
    const error = new Error('the directory is down')
    expect(server.events).toContainEqual({ type: 'internal-error', error })
    const browser = new Browser(server)
    await browser.signIn()
    expect((await browser.get('/account')).actions).toEqual(['/logout'])
    broken = false
    await expectRefusal(client.redeem(code), 'invalid_grant')
  })

  it('sees the claims and tokens of a sign-in elsewhere as props', async () => {
    verifies('authorization-security-practices/third-party-token-mapping')
    const provider = await OpenIdProvider.start()
    const { events, hook } = recorder()
    const { client } = await openFlow({ login: provider.login(), hooks: { onIssue: hook } })
    await tokensOf(await client.redeem(await provider.code(client)))
    expect(events.map(({ props }) => props)).toEqual([
      {
        upstream: {
          accessToken: 'upstream-access-1',
          refreshToken: 'upstream-refresh-1',
          expiresAt: 4_102_448_400_000,
        },
        claims: { sub: 'ada', name: 'Ada Lovelace' },
      },
    ])
  })
})

describe('onRefresh', () => {
  it('is called with the grant and its props before each refresh', async () => {
    const { events, hook } = recorder((count) => ({ props: { count } }))
    const { server, client } = await open({ onRefresh: hook })
    const first = await client.tokens()
    const second = await tokensOf(await client.refresh(first.refresh, { scope: 'read' }))
    await client.refresh(second.refresh)
    const event = {
      subject: 'owner',
      client: { id: client.id, name: 'A client' },
      resource: 'https://mcp.example.com/mcp',
      env: server.bindings,
    }
    expect(events).toEqual([
      { ...event, scopes: ['read'], props: undefined },
      { ...event, scopes: ['read', 'write'], props: { count: 1 } },
    ])
  })

  it('adds claims to the access token of that refresh', async () => {
    const { client } = await open({ onRefresh: () => ({ claims: { team: 'red', sub: 'x' } }) })
    const { access, refresh } = await client.tokens()
    expect(decodeJwt(access).team).toBeUndefined()
    const next = await tokensOf(await client.refresh(refresh))
    expect(decodeJwt(next.access)).toMatchObject({ team: 'red', sub: 'owner' })
  })

  it('refuses the refresh with invalid_grant when it throws, and the token stays', async () => {
    let broken = true
    const { server, client } = await open({ onRefresh: () => (broken ? fail() : {}) })
    const { access, refresh } = await client.tokens()
    await expectRefusal(client.refresh(refresh), 'invalid_grant')
    advance(60_000)
    expect(await statusWith(server, access)).toBe(200)
    broken = false
    await bodyOf(await client.refresh(refresh))
  })

  it('is not called for a refresh that is rejected', async () => {
    const { events, hook } = recorder()
    const { server, client } = await open({ onRefresh: hook })
    const { refresh } = await client.tokens({ scope: 'read' })
    await expectRefusal((await AuthClient.register(server)).refresh(refresh), 'invalid_grant')
    expect((await client.refresh(refresh, { scope: 'write' })).status).toBe(400)
    expect(events).toEqual([])
  })
})
