/** What is concluded from recorded steps: connections, stages, missing steps. Pure. */
import { describe, expect, it } from 'vitest'
import type { TimelineStep } from '../../src/objects/log/port.ts'
import { connectionsOf } from '../../src/timeline/connections.ts'
import {
  authorization,
  BEGAN,
  call,
  challenge,
  consent,
  registration,
  resource,
  server,
  signIn,
  step,
  token,
  URL_OF_ENDPOINT,
} from './support/steps.ts'

const LATER = BEGAN + 60 * 60_000
const shape = (steps: readonly TimelineStep[], now = LATER) =>
  connectionsOf(steps, now).map(({ steps: own }) => own.length)
const only = (steps: readonly TimelineStep[], now = LATER) => {
  const [connection, ...others] = connectionsOf(steps, now)
  if (connection === undefined || others.length > 0) throw new Error('Not one connection')
  return connection
}

const CLAUDE = 'https://claude.ai/oauth/mcp-oauth-client-metadata'
const CLAUDE_CODE = 'https://claude.ai/oauth/claude-code-client-metadata'

describe('an examination by the doctor', () => {
  const doctor = { software: 'edgeway-doctor' }
  const browser = { software: 'browser', network: 'net-home' }
  const examination = [
    challenge(0, doctor),
    resource(1, doctor),
    step(2, 'other-path', { ...doctor, status: 404 }),
    step(3, 'registration', { ...doctor, client: 'id-1', name: 'MCP Inspector' }),
    authorization(4, CLAUDE, doctor),
    authorization(5, 'id-1', { ...doctor, details: { redirect: 'cursor:' } }),
    call(6, 'initialize', { ...doctor, name: 'claude-ai', session: 's' }),
    call(7, 'tools/list', { ...doctor, session: 's' }),
  ]

  it('is one entry without a verdict, whichever clients it plays', () => {
    expect(only(examination)).toMatchObject({
      client: { name: 'edgeway-doctor' },
      verdict: { state: 'examination', findings: [], checked: [] },
    })
    expect(only(examination).client.id).toBeUndefined()
    expect(only(examination, BEGAN + 8000).verdict.state).toBe('examination')
  })

  it('includes the sign-in of the person whom it has sent there', () => {
    const steps = [
      ...examination,
      authorization(10, 'id-1', browser),
      consent(11, 'id-1', browser),
      step(12, 'sign-in', browser),
      token(13, 'id-1', doctor),
    ]
    expect(shape(steps)).toEqual([12])
  })

  it('is apart from clients in its network, from their documents and from a later examination', () => {
    const steps = [
      ...examination,
      challenge(8),
      resource(9),
      server(10),
      authorization(11, CLAUDE, browser),
      token(12, CLAUDE),
      challenge(3600, doctor),
    ]
    const connections = connectionsOf(steps, LATER + 3_600_000)
    expect(connections.map(({ steps: own, verdict }) => [own.length, verdict.state])).toEqual([
      [1, 'examination'],
      [5, 'stopped'],
      [8, 'examination'],
    ])
  })
})

describe('the grouping of steps', () => {
  it('joins the steps of a client, of its browser in another network and of its token', () => {
    const anthropic = { network: 'net-claude', software: 'Claude-User' }
    const browser = { network: 'net-home' }
    const steps = [
      challenge(0, anthropic),
      resource(1, anthropic),
      server(2, anthropic),
      authorization(10, CLAUDE, browser),
      consent(20, CLAUDE, browser),
      token(21, CLAUDE, anthropic),
      call(22, 'server/discover', { ...anthropic, client: CLAUDE }),
    ]
    expect(shape(steps)).toEqual([7])
    expect(only(steps)).toMatchObject({
      client: { name: 'Claude (web)', id: CLAUDE },
      networks: ['net-claude'],
    })
  })

  it('separates two clients behind one address by their registrations', () => {
    const steps = [...signIn(0, 'client-a'), ...signIn(30, 'client-b')]
    expect(shape(steps)).toEqual([9, 9])
    expect(connectionsOf(steps, LATER).map(({ client }) => client.id)).toEqual([
      'client-b',
      'client-a',
    ])
  })

  it('separates the calls of two clients behind one address that connect at the same time', () => {
    const a = signIn(0, 'client-a')
    const b = signIn(0.5, 'client-b')
    const steps = a.flatMap((one, index) => [one, b[index] ?? one])
    const connections = connectionsOf(steps, LATER)
    expect(connections).toHaveLength(2)
    for (const { client, steps: own, verdict } of connections) {
      expect(verdict.state).toBe('connected')
      expect(own.filter((one) => ![undefined, client.id].includes(one.client))).toEqual([])
    }
  })

  it('separates two clients of a server without authorization by the names that they give', () => {
    const steps = [
      call(0, 'initialize', { name: 'one' }),
      call(1, 'initialize', { name: 'two' }),
      call(2, 'tools/list', { name: 'one' }),
      call(3, 'tools/list', { name: 'two' }),
    ]
    expect(connectionsOf(steps, LATER).map(({ client }) => client.name)).toEqual(['two', 'one'])
    expect(shape(steps)).toEqual([2, 2])
  })

  it('follows a registered client into another network', () => {
    const moved = { network: 'net-train', client: 'client-a' }
    const steps = [...signIn(0, 'client-a'), call(60, 'tools/call', moved)]
    expect(shape(steps)).toEqual([10])
    expect(only(steps).networks).toEqual(['net-a', 'net-train'])
  })

  it('follows a session without authorization into another network', () => {
    const steps = [
      call(0, 'initialize', { session: 's1', name: 'one' }),
      call(1, 'tools/list', { session: 's1' }),
      call(60, 'tools/call', { session: 's1', network: 'net-train' }),
    ]
    expect(only(steps).networks).toEqual(['net-a', 'net-train'])
  })

  it('separates installations of one program in two networks, which share a client document', () => {
    const steps = [
      call(0, 'server/discover', { client: CLAUDE_CODE, network: 'net-a' }),
      call(1, 'server/discover', { client: CLAUDE_CODE, network: 'net-b' }),
    ]
    expect(shape(steps)).toEqual([1, 1])
  })

  it('joins a new discovery of a client with what it did before', () => {
    const again = [challenge(600), resource(601), server(602), token(603, 'client-a')]
    expect(shape([...signIn(0, 'client-a'), ...again])).toEqual([13])
  })

  it('does not depend on the order in which isolates have stored the steps', () => {
    const steps = signIn(0, 'client-a')
    expect(connectionsOf(steps.toReversed(), LATER)).toEqual(connectionsOf(steps, LATER))
  })
})

describe('the verdict', () => {
  const all = signIn(0, 'client-a')

  it.each([
    [
      'challenged',
      1,
      'was challenged to sign in (401)',
      'a request for the protected resource metadata',
    ],
    [
      'resource known',
      2,
      'read the protected resource metadata',
      'a request for the metadata of the authorization server',
    ],
    [
      'server known',
      3,
      'read the metadata of the authorization server',
      'a registration or an authorization request',
    ],
    ['registered', 4, 'registered', 'an authorization request'],
    ['asked', 5, 'opened the page on which the person approves', 'the decision of the person'],
    ['approved', 6, 'was approved by the person, and redirected with a code', 'a token request'],
    ['authorized', 7, 'got a token', 'a request with the token'],
    ['connected', 8, 'connected', 'a request for a list'],
  ])('says which step did not come when the client is %s', (_, count, reached, missing) => {
    const { verdict } = only(all.slice(0, count))
    expect(verdict).toMatchObject({ state: 'stopped', missing, findings: [] })
    expect(verdict.summary).toContain(`The client ${reached}, and ${missing} did not come.`)
    expect(verdict.checked.length).toBeGreaterThan(0)
  })

  it('is connected when the client has read a list, at any time', () => {
    for (const now of [BEGAN, LATER]) {
      expect(only(all, now).verdict).toMatchObject({ state: 'connected', checked: [] })
    }
  })

  it('waits twenty seconds for a client and ten minutes for a person', () => {
    const client = all.slice(0, 1)
    const person = all.slice(0, 5)
    expect(only(client, BEGAN + 20_000).verdict.state).toBe('in-progress')
    expect(only(client, BEGAN + 20_001).verdict.state).toBe('stopped')
    expect(only(person, BEGAN + 4_000 + 600_000).verdict.state).toBe('in-progress')
    expect(only(person, BEGAN + 4_000 + 600_001).verdict.state).toBe('stopped')
  })

  it('is in progress for steps that the clock of another isolate dates in the future', () => {
    expect(only(all.slice(0, 3), BEGAN - 5_000).verdict.state).toBe('in-progress')
  })

  it('begins anew when a client that was connected is challenged again', () => {
    const { verdict } = only([...all, challenge(3_000, { client: 'client-a' })])
    expect(verdict).toMatchObject({
      state: 'stopped',
      missing: 'a request for the protected resource metadata',
    })
  })

  it('names the first request with a token that a known client sends', () => {
    const steps = [token(0, CLAUDE_CODE)]
    expect(only(steps).verdict.missing).toBe('server/discover with the token')
  })

  it('reports a fault to a client that stumbles over it, and not to one that does not', () => {
    const short = { details: { expires: 3_600 } }
    const codes = (client: string) =>
      only([token(0, client, short), call(1, 'tools/list', { client })]).verdict.findings
    expect(codes(CLAUDE).map(({ code, severity }) => [code, severity])).toEqual([
      ['token-short-lived', 'warning'],
    ])
    expect(codes('https://vscode.dev/oauth/client-metadata.json')).toEqual([])
  })

  it('names the refusal of a token request with its reason', () => {
    const refused = token(6, 'client-a', {
      status: 400,
      events: [
        {
          type: 'refusal',
          name: 'code-verifier-mismatch',
          message: 'The PKCE verifier does not match the code challenge',
        },
        { type: 'refusal', name: 'invalid_grant', message: 'The grant is not valid' },
      ],
      details: { error: 'invalid_grant' },
    })
    const { verdict, steps } = only([...all.slice(0, 6), refused])
    expect(verdict.findings.map(({ code }) => code)).toEqual(['token-request-refused'])
    expect(verdict.summary).toContain('and a token request was refused. The cause: token-request')
    expect(steps.at(-1)?.events.map(({ name }) => name)).toEqual([
      'code-verifier-mismatch',
      'invalid_grant',
    ])
    expect(verdict.findings[0]?.answer).toBe(
      'The request was answered with 400: invalid_grant, The grant is not valid',
    )
  })

  describe('of a call that was answered with 403 for its scope', () => {
    const refused = [
      ...signIn(0, 'client-a'),
      call(20, 'tools/call', { client: 'client-a', status: 403 }),
    ]
    const signedInAgain = [
      ...refused,
      authorization(21, 'client-a'),
      consent(25, 'client-a'),
      token(26, 'client-a'),
    ]
    const codes = (steps: readonly TimelineStep[]) =>
      only(steps).verdict.findings.map(({ code }) => code)

    it('reports no fault when a call with the token of a further sign-in is served', () => {
      const served = call(27, 'tools/call', { client: 'client-a' })
      expect(codes([...signedInAgain, served])).not.toContain('scope-insufficient')
    })

    it('names the option of the scopes when the client does not sign in again', () => {
      const finding = only(refused).verdict.findings.find(
        ({ code }) => code === 'scope-insufficient',
      )
      expect(finding?.answer).toContain('initial: true')
    })

    it('reports the fault when no call with the further token is served', () => {
      expect(codes(signedInAgain)).toContain('scope-insufficient')
      const again = call(27, 'tools/call', { client: 'client-a', status: 403 })
      expect(codes([...signedInAgain, again])).toContain('scope-insufficient')
    })
  })

  it('finds a URL that was pasted without its path', () => {
    const { verdict } = only([
      step(0, 'other-path', { status: 404, details: { url: 'https://mcp.example.com/' } }),
    ])
    expect(verdict.findings.map(({ code }) => code)).toEqual(['endpoint-not-found'])
  })

  it('finds that a client asks for another resource than the metadata names', () => {
    const slash = [challenge(0, { details: { url: `${URL_OF_ENDPOINT}/` } }), resource(1)]
    expect(only(slash).verdict.findings.map(({ code }) => code)).toEqual(['url-trailing-slash'])
  })
})

/** In the order in which each client sends its requests, as clients were seen to do. */
describe('the ways of real clients', () => {
  const ways: Readonly<Record<string, readonly TimelineStep[]>> = {
    'Claude (web)': [
      challenge(0, { software: 'Ruby', network: 'net-claude' }),
      challenge(1, { software: 'Claude-User', network: 'net-claude' }),
      resource(2, { software: 'Claude-User', network: 'net-claude' }),
      server(3, { software: 'Claude-User', network: 'net-claude' }),
      authorization(8, CLAUDE, { details: { redirect: 'https://claude.ai' } }),
      consent(20, CLAUDE, { details: { location: 'https://claude.ai' } }),
      token(21, CLAUDE, { software: 'Claude-User', network: 'net-claude' }),
      call(22, 'server/discover', {
        client: CLAUDE,
        software: 'Claude-User',
        network: 'net-claude',
      }),
      call(23, 'tools/list', { client: CLAUDE, software: 'Claude-User', network: 'net-claude' }),
    ],
    'Claude Code': [
      challenge(0, { software: 'claude-code' }),
      challenge(1, { software: 'claude-code' }),
      resource(2, { software: 'claude-code' }),
      server(3, { software: 'claude-code' }),
      authorization(5, CLAUDE_CODE),
      consent(9, CLAUDE_CODE),
      token(10, CLAUDE_CODE, { software: 'claude-code' }),
      call(11, 'server/discover', { client: CLAUDE_CODE, software: 'claude-code' }),
      call(12, 'subscriptions/listen', { client: CLAUDE_CODE, software: 'claude-code' }),
      call(13, 'tools/list', { client: CLAUDE_CODE, software: 'claude-code' }),
    ],
    Codex: [
      step(0, 'endpoint', {
        http: 'GET',
        status: 401,
        software: 'codex_cli_rs',
        details: { authorization: 'none', challenge: 'Bearer' },
      }),
      step(1, 'resource-metadata', {
        status: 404,
        software: 'codex_cli_rs',
        details: { url: `${URL_OF_ENDPOINT}/.well-known/oauth-protected-resource` },
      }),
      resource(2, { software: 'codex_cli_rs' }),
      server(3, { software: 'codex_cli_rs' }),
      registration(4, 'codex-client', { software: 'codex_cli_rs', name: 'Codex' }),
      authorization(5, 'codex-client'),
      consent(6, 'codex-client'),
      token(7, 'codex-client', { software: 'codex_cli_rs' }),
      call(8, 'initialize', {
        client: 'codex-client',
        software: 'codex_cli_rs',
        name: 'codex-mcp-client',
      }),
      call(9, 'notifications/initialized', {
        client: 'codex-client',
        software: 'codex_cli_rs',
        status: 202,
      }),
      step(10, 'endpoint', {
        http: 'GET',
        client: 'codex-client',
        software: 'codex_cli_rs',
        details: { authorization: 'Bearer', type: 'text/event-stream' },
      }),
      call(11, 'tools/list', { client: 'codex-client', software: 'codex_cli_rs' }),
      step(12, 'endpoint', {
        http: 'DELETE',
        status: 204,
        client: 'codex-client',
        software: 'codex_cli_rs',
        details: { authorization: 'Bearer' },
      }),
    ],
    Cursor: [
      challenge(0, { software: 'Cursor' }),
      resource(1, { software: 'Cursor' }),
      server(2, { software: 'Cursor' }),
      registration(3, 'cursor-client', {
        software: 'Cursor',
        name: 'Cursor',
        details: { redirects: 'cursor: https://www.cursor.com http://localhost', redirectCount: 3 },
      }),
      authorization(4, 'cursor-client', { details: { redirect: 'cursor:' } }),
      consent(5, 'cursor-client', { details: { location: 'cursor:' } }),
      token(6, 'cursor-client', { software: 'Cursor' }),
      call(7, 'initialize', { client: 'cursor-client', software: 'Cursor', name: 'cursor-vscode' }),
      step(8, 'endpoint', {
        http: 'GET',
        status: 405,
        client: 'cursor-client',
        software: 'Cursor',
        details: { authorization: 'Bearer' },
      }),
      call(9, 'tools/list', { client: 'cursor-client', software: 'Cursor' }),
    ],
    'Gemini CLI': [
      step(0, 'endpoint', {
        http: 'HEAD',
        status: 401,
        software: 'GeminiCLI',
        details: {
          authorization: 'none',
          challenge: 'Bearer',
          metadataUrl: 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
        },
      }),
      resource(1, { software: 'GeminiCLI' }),
      server(2, { software: 'GeminiCLI' }),
      registration(3, 'gemini-client', { software: 'GeminiCLI', name: 'Gemini CLI' }),
      authorization(4, 'gemini-client'),
      consent(5, 'gemini-client'),
      token(6, 'gemini-client', { software: 'GeminiCLI' }),
      call(7, 'initialize', { client: 'gemini-client', software: 'GeminiCLI' }),
      call(8, 'tools/list', { client: 'gemini-client', software: 'GeminiCLI' }),
    ],
  }

  it.each(Object.entries(ways))('of %s are one connection without a finding', (name, steps) => {
    const { client, verdict, steps: own } = only(steps)
    expect(client.name).toBe(name)
    expect(own).toHaveLength(steps.length)
    expect(verdict.state).toBe('connected')
    // The GET of Codex has no metadata in its challenge here.
    expect(verdict.findings.filter(({ severity }) => severity === 'error')).toEqual([])
  })
})
