/** Servers that name another server in their metadata or responses: neither command sends a code. */

import { describe, it, onTestFinished } from 'vitest'
import { signIn } from '../../cli/src/admin/sign-in.ts'
import { RESOURCE, resource, SERVER, server } from '../../faults/test/planted/discovery.ts'
import { answersAt, changed, type Defect, json } from '../../faults/test/planted/plant.ts'
import { response } from '../../faults/test/planted/sign-in.ts'
import { codesOf, examineQuickly } from './examine.ts'
import { startHttpServer } from './http-server.ts'
import { type ReferenceServer, startReferenceServer } from './reference-server.ts'

interface Attack {
  readonly attack: string
  readonly defect: (honest: ReferenceServer) => Defect
  /** What the error of `edgeway admin` says. */
  readonly says: RegExp
  /** What the doctor finds. */
  readonly code: string
}

/** The person signs in at the honest server, whose response is sent to the client. */
const atHonest =
  (honest: ReferenceServer, announcesIss: boolean): Defect =>
  async (request, next, origin) => {
    if (request.path === '/register') {
      const { body } = request
      const registered = await fetch(`${honest.origin}/register`, { method: 'POST', body })
      return json(await registered.json(), 201)
    }
    return server(() => ({
      authorization_endpoint: `${honest.origin}/authorize`,
      authorization_response_iss_parameter_supported: announcesIss,
    }))(request, next, origin)
  }

/** Seen before a page is shown. */
const METADATA: readonly Attack[] = [
  {
    attack: 'the resource is the endpoint of another server',
    defect: (honest) => resource({ resource: honest.url }),
    says: /metadata is of "http:\/\/127\.0\.0\.1:\d+\/mcp", and the URL is/,
    code: 'resource-mismatch',
  },
  {
    attack: 'the resource and the authorization server are those of another server',
    defect: ({ origin, url }) =>
      changed(RESOURCE, () => ({ resource: url, authorization_servers: [origin] })),
    says: /metadata is of/,
    code: 'resource-mismatch',
  },
  {
    attack: 'the resource is the whole origin',
    defect: () => resource((_, origin) => ({ resource: origin })),
    says: /metadata is of/,
    code: 'resource-not-exact',
  },
  {
    attack: 'the resource is missing',
    defect: () => resource({ resource: undefined }),
    says: /metadata is of nothing/,
    code: 'resource-metadata-invalid',
  },
  {
    attack: 'the metadata has the issuer of another server',
    defect: ({ origin }) => server({ issuer: origin }),
    says: /its metadata is of the issuer "http:\/\/127/,
    code: 'issuer-mismatch',
  },
  {
    attack: 'the metadata has no issuer',
    defect: () => server({ issuer: undefined }),
    says: /its metadata is of the issuer nothing/,
    code: 'server-metadata-invalid',
  },
  {
    attack: 'the authorization endpoint is that of another server, and iss is not announced',
    defect: (honest) => atHonest(honest, false),
    says: /has another origin than the issuer/,
    code: 'authorization-endpoint-elsewhere',
  },
  {
    attack: 'the metadata of the resource is redirected to another server',
    defect: ({ origin }) =>
      answersAt(RESOURCE, { status: 302, headers: { location: `${origin}${RESOURCE}` } }),
    says: /answered 302/,
    code: 'resource-mismatch',
  },
  {
    attack: 'the metadata of the authorization server is redirected',
    defect: () => (request, next) =>
      request.path === SERVER && !request.query.has('moved')
        ? { status: 307, headers: { location: `${SERVER}?moved` } }
        : next(),
    says: /answered 307/,
    code: 'metadata-without-cors',
  },
]

/** Seen in the authorization response. */
const RESPONSES: readonly Attack[] = [
  {
    attack: 'the person signs in at another server, which returns its own iss',
    defect: (honest) => atHonest(honest, true),
    says: /is of the issuer "http:\/\/127/,
    code: 'iss-mismatch',
  },
  {
    attack: 'iss is that of another server',
    defect: ({ origin }) => response(({ searchParams }) => searchParams.set('iss', origin)),
    says: /is of the issuer/,
    code: 'iss-mismatch',
  },
  {
    attack: 'iss is announced and missing',
    defect: () => response(({ searchParams }) => searchParams.delete('iss')),
    says: /has no iss/,
    code: 'iss-missing',
  },
  {
    attack: 'the state is another one',
    defect: () => response(({ searchParams }) => searchParams.set('state', 'x')),
    says: /has another state/,
    code: 'state-changed',
  },
  {
    attack: 'the state is missing',
    defect: () => response(({ searchParams }) => searchParams.delete('state')),
    says: /has another state/,
    code: 'state-changed',
  },
  {
    attack: 'there are two values of code',
    defect: () => response(({ searchParams }) => searchParams.append('code', 'second')),
    says: /has code more than once/,
    code: 'authorization-refused',
  },
  {
    attack: 'there are two values of iss, and the first is right',
    defect: ({ origin }) => response(({ searchParams }) => searchParams.append('iss', origin)),
    says: /has iss more than once/,
    code: 'iss-mismatch',
  },
]

async function startBoth(defect: Attack['defect']) {
  const honest = await startReferenceServer({ isProtected: true })
  const hostile = await startReferenceServer({ isProtected: true, defect: defect(honest) })
  onTestFinished(() => Promise.all([honest.stop(), hostile.stop()]).then(() => undefined))
  const tokenRequests = () =>
    [...honest.requests, ...hostile.requests].filter(({ path }) => path === '/token')
  return { url: hostile.url, tokenRequests }
}

/** OpenID Connect Dynamic Client Registration: a client that names no type is a web site, whose redirect URIs are https. */
const requiresHttpsOfWebSites: Defect = (request, next) =>
  request.path === '/register' && request.json.application_type !== 'native'
    ? json({ error: 'invalid_redirect_uri' }, 400)
    : next()

/** The person approves: the page redirects the browser to the command line. */
const browse = (page: URL) => void fetch(page).then((reply) => reply.text())

describe('edgeway admin --login', () => {
  it.for([
    ...METADATA.map((row) => ({ ...row, pages: 0 })),
    ...RESPONSES.map((row) => ({ ...row, pages: 1 })),
  ])('sends no code when $attack', async ({ attack, defect, says, pages }, { expect }) => {
    const { url, tokenRequests } = await startBoth(defect)
    const shown: URL[] = []
    const onPage = (page: URL) => {
      shown.push(page)
      browse(page)
    }
    // A response with another state is reported at the end of the time.
    const timeoutMs = /state/.test(attack) ? 3000 : 10_000
    const obtained = await signIn({ url: new URL(url), challenge: {}, timeoutMs, onPage })
    expect(obtained.ok || obtained.error.message).toMatch(says)
    expect(shown).toHaveLength(pages)
    expect(tokenRequests()).toEqual([])
  })

  it('obtains a token of a correct server, with the scope of the challenge', async ({ expect }) => {
    const { url, tokenRequests } = await startBoth(() => (_, next) => next())
    const shown: URL[] = []
    const signedIn = await signIn({
      url: new URL(url),
      challenge: { scope: 'admin' },
      timeoutMs: 10_000,
      onPage: (page) => {
        shown.push(page)
        browse(page)
      },
    })
    expect(signedIn).toMatchObject({ ok: true, value: { token: expect.stringMatching(/./) } })
    expect(shown.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['admin'])
    expect(tokenRequests()).toHaveLength(1)
  })

  it('registers its loopback redirect URI as that of a native application', async ({ expect }) => {
    const { url, tokenRequests } = await startBoth(() => requiresHttpsOfWebSites)
    const options = { url: new URL(url), challenge: {}, timeoutMs: 10_000, onPage: browse }
    expect(await signIn(options)).toMatchObject({ ok: true })
    expect(tokenRequests()).toHaveLength(1)
  })

  it('asks for the scopes of the metadata when the challenge names none', async ({ expect }) => {
    const { url } = await startBoth(() => (_, next) => next())
    const shown: URL[] = []
    const onPage = (page: URL) => {
      shown.push(page)
      browse(page)
    }
    await signIn({ url: new URL(url), challenge: {}, timeoutMs: 10_000, onPage })
    expect(shown.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['read'])
  })

  it.for(['http://192.168.7.7', 'http://169.254.169.254', 'http://[64:ff9b::7f00:1]'])(
    'requests nothing of %s, which the metadata of a local server names',
    async (origin, { expect }) => {
      const { url } = await startBoth(() =>
        changed(RESOURCE, (value) => ({ ...value, authorization_servers: [origin] })),
      )
      const obtained = await signIn({
        url: new URL(url),
        challenge: {},
        timeoutMs: 1000,
        onPage: () => undefined,
      })
      expect(obtained.ok || obtained.error.message).toContain('is no https URL')
    },
  )
})

describe('edgeway doctor --login', () => {
  it.for([...METADATA, ...RESPONSES])(
    'sends no code, and says why, when $attack',
    async ({ defect, code }, { expect }) => {
      const { url, tokenRequests } = await startBoth(defect)
      const pages: URL[] = []
      const report = await examineQuickly(url, {
        active: true,
        login: true,
        onLogin: (page) => void pages.push(page),
      })
      expect(tokenRequests()).toEqual([])
      expect(pages).toEqual([])
      expect(report.notes.join()).toContain('No code and no token was sent')
      expect(codesOf(report)).toContain(code)
    },
  )

  it('registers its loopback redirect URI as that of a native application', async ({ expect }) => {
    const { url, tokenRequests } = await startBoth(() => requiresHttpsOfWebSites)
    await examineQuickly(url, { active: true, login: true, onLogin: browse })
    expect(tokenRequests()).not.toEqual([])
  })

  it('connects to no private address that a redirect of the metadata names', async ({ expect }) => {
    const server = await startHttpServer((request) =>
      request.path === '/mcp'
        ? json({}, 401, { 'www-authenticate': 'Bearer' })
        : { status: 302, headers: { location: 'http://169.254.169.254/' } },
    )
    onTestFinished(() => server.stop())
    const report = await examineQuickly(`${server.origin}/mcp`)
    expect(JSON.stringify(report)).toContain('169.254.169.254 is not a public address')
  })
})
