/** `edgeway admin` as a process, against the protected fixture server: each command, output and exit codes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { authorize } from '../../../scripts/support/authorize.ts'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import {
  type FixtureServer,
  startFixtureServer,
} from '../../../test/support/node/fixture-server.ts'
import { approve } from '../../doctor/test/approve.ts'
import { startHttpServer } from '../../doctor/test/http-server.ts'
import { obtainToken } from '../../testing/src/sign-in.ts'
import { signIn } from '../src/admin/sign-in.ts'

const ENTRY = join(resolve(import.meta.dirname, '../../..'), 'packages/cli/src/edgeway.ts')
const OWNER = 'correct horse battery staple'
const GUEST = 'battery staple correct horse'

let server: FixtureServer
let origin: string
/** For the admin API. */
let token: string

const tokenFor = (passphrase: string) =>
  obtainToken(async (request) => fetch(request), `${origin}/admin`, { passphrase })

beforeAll(async () => {
  server = await startFixtureServer({ protected: true, inspect: true })
  origin = new URL(server.url).origin
  token = await tokenFor(OWNER)
})

afterAll(() => server.stop())

/** Escape sequences of both widths, a line break, a change of direction and a tag character. */
const HOSTILE = '\u001b[31mred\u009b2J\r\nforged: line\u2028\u202e\u{e0001}'

const HOSTILE_CONNECTION = {
  id: HOSTILE,
  client: { name: HOSTILE, id: HOSTILE },
  networks: [HOSTILE],
  beganAt: 0,
  lastAt: 1,
  verdict: {
    state: HOSTILE,
    summary: HOSTILE,
    findings: [
      { code: HOSTILE, severity: HOSTILE, message: HOSTILE, clause: HOSTILE, fix: HOSTILE },
    ],
    checked: [{ code: HOSTILE, meaning: HOSTILE, result: 'failed', answer: HOSTILE }],
  },
  steps: [
    {
      at: 1,
      title: HOSTILE,
      http: HOSTILE,
      status: HOSTILE,
      tookMs: HOSTILE,
      events: [{ type: HOSTILE, name: HOSTILE, message: HOSTILE }],
      details: { url: HOSTILE },
    },
  ],
}

const run = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  runEdgeway(['admin', ...args], {
    env: { EDGEWAY_ADMIN_URL: origin, EDGEWAY_ADMIN_TOKEN: token, ...variables },
  })

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await run([...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function statusAt(path: string, bearer: string): Promise<number> {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${bearer}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  await response.text()
  return response.status
}

describe('edgeway admin', () => {
  it('health names the parts that answer', async () => {
    const { code, stdout } = await run(['health'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      'status: ok\nparts:\n  account: ok\n  hub: ok\n  keyring: ok\n  state: ok\n',
    )
  })

  it('rotate-keys prints from when on the new keys are used', async () => {
    const { sealFrom, signFrom } = await json('rotate-keys')
    expect(sealFrom).toBeGreaterThan(Date.now() + 80_000_000)
    expect(Math.abs(signFrom - sealFrom)).toBeLessThan(1000)
    expect((await run(['rotate-keys'])).stdout).toContain(
      `sealFrom: ${new Date(sealFrom).toISOString()}`,
    )
  })

  it('grants and revoke-grant end one grant of a person', async () => {
    const guest = await authorize({ origin, passphrase: GUEST })
    expect(await statusAt('/mcp', guest)).toBe(200)
    const { grants } = await json('grants', 'guest')
    const [{ grantId }] = grants
    expect(await json('revoke-grant', 'guest', grantId)).toEqual({ revoked: true })
    expect(await statusAt('/mcp', guest)).toBe(401)
    expect(await json('revoke-grant', 'guest', grantId)).toEqual({ revoked: false })
  })

  it.each(['-1A_aGu7r0KzhrDEiz6AkA', '--A_aGu7r0KzhrDEiz6AkA'])(
    'revoke-grant takes the id %s, which begins as an option does',
    async (grantId) => {
      expect(await json('revoke-grant', 'guest', grantId)).toEqual({ revoked: false })
    },
  )

  it('revoke-client ends the grants of a client', async () => {
    const guest = await authorize({ origin, passphrase: GUEST })
    const [{ client }] = (await json('grants', 'guest')).grants
    await json('revoke-client', client.id, '--yes')
    expect(await statusAt('/mcp', guest)).toBe(401)
  })

  it('subscriptions and end-subscriptions know a person without any', async () => {
    expect((await run(['subscriptions', 'guest'])).stdout).toBe('subscriptions: none\n')
    expect(await json('end-subscriptions', 'guest')).toEqual({ ended: 0 })
    expect(await json('end-subscriptions', 'guest', 'sub_invented')).toEqual({ ended: 0 })
  })

  it('sessions, end-session, tasks and end-task know a person without any', async () => {
    expect((await run(['sessions', 'guest'])).stdout).toBe('sessions: none\n')
    expect((await run(['tasks', 'guest'])).stdout).toBe('tasks: none\n')
    expect(await json('end-session', 'guest', '../../etc')).toEqual({ ended: false })
    expect(await json('end-task', 'invented')).toEqual({ ended: false })
  })

  it('timeline lists the connections with their verdicts, and shows the steps of one', async () => {
    await authorize({ origin, passphrase: GUEST })
    const { connections } = await json('timeline')
    const [{ id, verdict }] = connections
    const listed = await run(['timeline'])
    expect(listed.stdout).toContain(`  connection ${id}, `)
    expect(listed.stdout).toContain(`  ${verdict.summary}\n`)
    expect(listed.stdout).not.toContain('POST /token')
    const { connection } = await json('timeline', id)
    expect(connection).toMatchObject({ id, steps: expect.arrayContaining([expect.anything()]) })
    const shown = await run(['timeline', id])
    expect(shown.stdout).toContain(`  connection ${id}, `)
    expect(shown.stdout).toMatch(/ {2}200 {2}token \(authorization_code\) \(POST /)
    const unknown = await run(['timeline', 'invented'])
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toContain('No such connection is stored')
  })

  it('timeline-on prints until when production is recorded, and timeline-off ends it', async () => {
    const { endsAt } = await json('timeline-on', '30')
    expect(Math.abs(endsAt - Date.now() - 30 * 60_000)).toBeLessThan(10 * 60_000)
    expect((await run(['timeline-off'])).stdout).toBe('ended: true\n')
    expect(await run(['timeline-on', '1441'])).toMatchObject({ code: 1, stdout: '' })
  })

  it('revoke-person and delete-person say what they have ended', async () => {
    const nothing = {
      grants: 0,
      personalTokens: 0,
      consents: 0,
      sessions: 0,
      subscriptions: 0,
      tasks: 0,
    }
    expect(await json('revoke-person', 'stranger', '--yes')).toMatchObject(nothing)
    expect(await json('delete-person', 'stranger', '--yes')).toMatchObject(nothing)
  })

  it('does nothing that cannot be taken back without --yes, where no terminal can ask', async () => {
    const ended = await run(['revoke-everyone'])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('Nothing was done')
    expect((await run(['rotate-keys', '--discard'])).code).toBe(2)
    expect(await statusAt('/admin', token)).not.toBe(401)
  })

  it('exits with 1 when the server refuses', async () => {
    const guest = await tokenFor(GUEST)
    const refused = await run(['grants', 'guest'], { EDGEWAY_ADMIN_TOKEN: guest })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('You are no owner of this server [administrator-required]')
    expect((await run(['health'], { EDGEWAY_ADMIN_TOKEN: 'invented' })).code).toBe(1)
  })

  it('exits with 1 where no admin API is served, and says how to serve it', async () => {
    const { code, stderr } = await run(['health'], { EDGEWAY_ADMIN_URL: `${origin}/nothing` })
    expect(code).toBe(1)
    expect(stderr).toContain('Pass admin({ … }) to the features')
  })

  it('exits with 2 when the server cannot be reached', async () => {
    const { code, stderr } = await run(['health'], { EDGEWAY_ADMIN_URL: 'http://127.0.0.1:9' })
    expect(code).toBe(2)
    expect(stderr).toContain('was not reached')
  })

  it.each([
    [['drop']],
    [['grants']],
    [['grants', 'a', 'b']],
    [['grants', 'a', '--jsn']],
    [['rotate-keys', '--discrad', '--yes']],
    [['health', '--url', 'http://mcp.example.com']],
    [['health', '--url', 'https://a:b@mcp.example.com']],
    [['health', '--token', 'a\nb']],
  ])('exits with 2 for the command line %j', async (args) => {
    expect((await run(args)).code).toBe(2)
  })

  it.each([
    ['timeline', { connections: [HOSTILE_CONNECTION] }],
    ['timeline', { connection: HOSTILE_CONNECTION }],
    ['timeline', { connections: [{ [HOSTILE]: HOSTILE }] }],
    ['grants', { grants: [{ [HOSTILE]: HOSTILE }] }],
  ])(
    '%s prints no control characters of clients or of the server, as text or JSON: %#',
    async (operation, result) => {
      const answering = await startHttpServer(() => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ result }),
      }))
      onTestFinished(() => answering.stop())
      const args = operation === 'grants' ? ['grants', 'guest'] : [operation]
      const given = { EDGEWAY_ADMIN_URL: answering.origin }
      const [text, asJson] = [await run(args, given), await run([...args, '--json'], given)]
      for (const { code, stdout } of [text, asJson]) {
        expect(code).toBe(0)
        expect(stdout).toContain('red')
        expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }
      expect(text.stdout).not.toMatch(/^forged/m)
      expect(JSON.parse(asJson.stdout)).toEqual(result)
    },
  )

  it('--login obtains a token for the admin API with a browser, and leaves no grant behind', async () => {
    const url = new URL('/admin', origin)
    const onPage = (page: URL) => void approve(page, OWNER)
    const grantsOfOwner = async () => (await json('grants', 'owner')).grants.length
    const before = await grantsOfOwner()
    const obtained = await signIn({ url, challenge: {}, timeoutMs: 30_000, onPage })
    if (!obtained.ok) throw new Error(obtained.error.message)
    const signedIn = obtained.value
    const given = { EDGEWAY_ADMIN_TOKEN: signedIn.token }
    expect((await run(['health'], given)).code).toBe(0)
    expect(await statusAt('/mcp', signedIn.token)).toBe(401)
    expect(await grantsOfOwner()).toBe(before + 1)
    await signedIn.end()
    expect(await grantsOfOwner()).toBe(before)
    expect((await run(['health'], given)).code).toBe(1)
  })

  it('--login signs in once for the scope of the admin API, and leaves no grant behind', async () => {
    const grantsOfOwner = async () => (await json('grants', 'owner')).grants.length
    const before = await grantsOfOwner()
    // Without a path, no browser is found.
    const env = { PATH: '', EDGEWAY_ADMIN_URL: origin }
    const child = spawn(process.execPath, [ENTRY, 'admin', 'health', '--login'], { env })
    let stdout = ''
    const pages: URL[] = []
    child.stdout.on('data', (part) => {
      stdout += part
    })
    child.stderr.on('data', (part) => {
      const [, page] = /Sign in at (\S+)/.exec(String(part)) ?? []
      if (page === undefined) return
      pages.push(new URL(page))
      void approve(new URL(page), OWNER)
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
    expect(pages.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['operate'])
    expect(stdout).toContain('status: ok')
    expect(await grantsOfOwner()).toBe(before)
  })

  it('revoke-everyone ends every token, that of the command line too', async () => {
    const owner = await authorize({ origin, passphrase: OWNER })
    const { code, stdout } = await run(['revoke-everyone', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^validFrom: \d{4}-/)
    expect(await statusAt('/mcp', owner)).toBe(401)
    expect((await run(['health'])).code).toBe(1)
  })
})
