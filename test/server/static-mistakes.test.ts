/** Mistakes that need no environment to be found: each throws in `createFullEdgeway`, before any request. */

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineEvent, events } from '../../packages/events/src/index.ts'
import {
  assertions,
  dpop,
  type EmbeddedOptions,
  embedded,
  external,
  github,
  privateKeyJwt,
} from '../../src/auth/index.ts'
import { health } from '../../src/features/health/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { externalJob, workflowJob } from '../../src/features/tasks/index.ts'
import { createEdgeway, jsonSchema, McpServer } from '../../src/index.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'

const SCOPES = { read: 'Read notes' }
const ISSUER = 'https://issuer.example.com'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

const EVENT = { description: 'It happened.', payload: z.object({ id: z.string() }) }

const create = (options: object, scopes: readonly string[] = []) => {
  const server = new McpServer({ name: 'x', version: '1' })
  server.registerTool('note', { scopes }, () => 'a note')
  return createFullEdgeway(server, options as FullOptions)
}
const auth = (options: object) => ({
  auth: embedded({ scopes: SCOPES, ...options } as EmbeddedOptions),
})
const EXTERNAL = { scopes: SCOPES, issuers: [{ issuer: ISSUER }] }
const issuers = (...options: object[]) => ({
  auth: external({ scopes: SCOPES, issuers: options as [{ issuer: string }] }),
})

describe('createEdgeway of a caller without types', () => {
  const server = new McpServer({ name: 'x', version: '1' })
  it.each<[mistake: string, options: unknown, message: string]>([
    ['a misspelled option', { auht: auth({}).auth }, 'There is no option "auht"'],
  ])('throws for %s', (_, options, message) => {
    expect(() => createEdgeway(server, options as never)).toThrow(TypeError)
    expect(() => createEdgeway(server, options as never)).toThrow(message)
  })

  it('throws for events() and embedded() without options', () => {
    expect(() => events(undefined as never)).toThrow('events() needs { types }')
    expect(() => embedded(undefined as never)).toThrow('embedded() needs { scopes }')
  })

  it.each<[mistake: string, make: () => unknown, message: string]>([
    [
      'sessions() with a path as httpSse',
      () => sessions({ httpSse: '/sse' as never }),
      'sessions({ httpSse }) must be false or { path, messagesPath }',
    ],
    ['health() with a path', () => health('/up' as never), 'health() takes { path }'],
    [
      'workflowJob() with the name of a binding',
      () => workflowJob('PUBLICATION' as never),
      'workflowJob() takes a function of the bindings: ({ BINDING }) => BINDING',
    ],
    [
      'externalJob() without functions',
      () => externalJob(undefined as never),
      'needs the function start',
    ],
    [
      'files that are a text',
      () =>
        new McpServer({ name: 'x', version: '1' }).registerTool(
          't',
          { files: 'photo' as never },
          () => 'x',
        ),
      'Tool "t": files must be true, or { name: file({ … }) }',
    ],
    [
      'an argument of an event type that no data can equal',
      () => defineEvent('a.b', { ...EVENT, input: z.object({ city: z.string().optional() }) }),
      'Event a.b: no data has a member of the name "city" that the argument could equal: pass match',
    ],
    [
      'such an argument of a JSON Schema that is closed',
      () =>
        defineEvent('a.b', {
          ...EVENT,
          input: z.object({ city: z.string() }),
          payload: jsonSchema({ type: 'object', properties: {}, additionalProperties: false }),
        }),
      'pass match',
    ],
  ])('throws for %s', (_, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it.each([
    ['with match', { ...EVENT, match: () => true }],
    ['whose data may have other members', { ...EVENT, payload: z.looseObject({}) }],
    [
      'whose JSON Schema permits other members',
      { ...EVENT, payload: jsonSchema({ type: 'object', properties: {} }) },
    ],
  ])('accepts an argument beside the data of an event type %s', (_, options) => {
    const input = z.object({ city: z.string() })
    expect(defineEvent('a.b', { ...options, input } as never)).toBeDefined()
  })
})

describe('createEdgeway', () => {
  it.each<[mistake: string, options: object, message: RegExp]>([
    ['a path without a slash', { path: 'mcp' }, /path "mcp"/],
    ['a path with a space', { path: '/m cp' }, /path "\/m cp"/],
    ['a path with a slash at the end', { path: '/mcp/' }, /path "\/mcp\/"/],
    ['the same path twice', { otherPaths: ['/mcp'] }, /\/mcp/],
    [
      'the paths of the old transport at one path',
      { httpSse: { path: '/x', messagesPath: '/x' } },
      /\/x/,
    ],
    ['messages at the path of the endpoint', { httpSse: { messagesPath: '/mcp' } }, /\/mcp/],
    [
      'the endpoint at a path of the authorization server',
      { path: '/token', ...auth({}) },
      /^path "\/token" is a path of authorization/,
    ],
    [
      'another path there',
      { otherPaths: ['/authorize'], ...auth({}) },
      /"\/authorize" is a path of authorization/,
    ],
    [
      'the old transport there',
      { httpSse: { path: '/account' }, ...auth({}) },
      /"\/account" is a path of authorization/,
    ],
    ['a pattern that covers one', { path: '/{org}', ...auth({}) }, /.*/],
    [
      'an origin without a scheme',
      { allowedOrigins: ['app.example'] },
      /^allowedOrigins: "app\.example" must be an origin/,
    ],
    [
      'an origin with a slash',
      { allowedOrigins: ['https://app.example/'] },
      /must be an origin like https:\/\/app\.example/,
    ],
    ['an origin with a path', { allowedOrigins: ['https://app.example/x'] }, /^allowedOrigins/],
    ['an origin in capitals', { allowedOrigins: ['https://App.example'] }, /^allowedOrigins/],
    [
      'an origin instead of a list',
      { allowedOrigins: 'https://app.example' },
      /^allowedOrigins must be a list/,
    ],
    [
      'a host with a scheme',
      { allowedHosts: ['http://box.local'] },
      /^allowedHosts: "http:\/\/box\.local" must be a host name/,
    ],
    [
      'a host with a port',
      { allowedHosts: ['box.local:8080'] },
      /^allowedHosts: "box\.local:8080"/,
    ],
    ['a host instead of a list', { allowedHosts: 'box.local' }, /^allowedHosts must be a list/],
    [
      'a policy that does not exist',
      { headerMismatch: 'lenient' },
      /^headerMismatch must be "strict" or "trust-body"/,
    ],
    ['an empty audience', { audience: '' }, /^audience must/],
    ['a sink that is no function', { telemetry: 'console' }, /^telemetry must be a function/],
    [
      'a limit that does not exist',
      { limits: { timeoutMs: 5 } },
      /^limits: there is no option "timeoutMs"/,
    ],
    [
      'a limit of a feature',
      { limits: { taskTtlMs: 5 } },
      /^limits: there is no option "taskTtlMs"/,
    ],
    ['a limit of 0', { limits: { bodyBytes: 0 } }, /^limits: bodyBytes must be a number above 0/],
    [
      'a limit that is no number',
      { limits: { keepAliveMs: Number.NaN } },
      /^limits: keepAliveMs must be a number above 0/,
    ],
    [
      'a number of values with a fraction',
      { limits: { jsonValues: 1.5 } },
      /^limits: jsonValues must be an integer/,
    ],
    [
      'a timeout beyond what a timer can wait',
      { limits: { handlerTimeoutMs: 2 ** 31 } },
      /^limits: handlerTimeoutMs must be at most 2147483647, 24 days/,
    ],
    [
      'a rate limit class that does not exist',
      { rateLimits: { everyone: { limit: 1, periodSeconds: 60 } } },
      /rateLimits\.everyone/,
    ],
    ['auth that was not called', { auth: embedded }, /^auth must be the value of embedded\(…\)/],
    [
      'auth of another library',
      { auth: { issuer: ISSUER } },
      /^auth must be the value of embedded\(…\)/,
    ],
    [
      'issuers by their URL alone',
      { auth: external({ ...EXTERNAL, issuers: [ISSUER] as never }) },
      /^issuers must be a list of objects such as \{ issuer: "https:\/\/login\.example\.com" \}/,
    ],
    ['embedded() without scopes', auth({ scopes: undefined }), /^scopes must name/],
    ['a malformed scope', auth({ scopes: { 'a b': '' } }), /^"a b" is not a valid scope name/],
    [
      'a scope that includes an unknown one',
      auth({ scopes: { a: { description: '', includes: ['b'] } } }),
      /^The scope "b" is included but not defined/,
    ],
    [
      'scopes that include each other',
      auth({ scopes: { a: { description: '', includes: ['a'] } } }),
      /^The scope "a" includes itself/,
    ],
    [
      'an origin of the server with a path',
      auth({ origin: 'https://x.example/mcp' }),
      /^The origin "https:\/\/x\.example\/mcp"/,
    ],
    ['an alias that is no URL', auth({ aliases: ['mcp'] }), /"mcp"/],
    [
      'an unknown preset',
      auth({ redirects: { presets: ['emacs'] } }),
      /^redirects\.presets: there is no preset "emacs"/,
    ],
    [
      'a client without redirect URIs',
      auth({ clients: [{ id: 'a', redirectUris: ['nowhere'] }] }),
      /nowhere|"a"/,
    ],
    [
      'a client twice',
      auth({
        clients: [
          { id: 'a', redirectUris: ['https://a.example/cb'] },
          { id: 'a', redirectUris: ['https://a.example/cb'] },
        ],
      }),
      /"a"/,
    ],
    [
      'a provider twice',
      auth({
        features: [assertions({ trustedProviders: [{ issuer: ISSUER }, { issuer: ISSUER }] })],
      }),
      /A trusted provider is configured twice/,
    ],
    [
      'a provider that is no URL',
      auth({ features: [assertions({ trustedProviders: [{ issuer: 'idp' }] })] }),
      /"idp"/,
    ],
    [
      'no provider',
      auth({ features: [assertions({ trustedProviders: [] })] }),
      /^assertions\(\{ trustedProviders \}\) must name at least one provider/,
    ],
    [
      'features of embedded() that are no list',
      auth({ features: dpop() }),
      /^embedded\(\{ features \}\) must be a list of values like personalAccessTokens\(\)/,
    ],
    [
      'a feature of embedded() twice',
      auth({ features: [dpop(), false, dpop()] }),
      /^embedded\(\{ features \}\): dpop\(\) is passed twice$/,
    ],
    [
      'a feature of embedded() that was not called',
      auth({ features: [privateKeyJwt] }),
      /^embedded\(\{ features \}\): privateKeyJwt is a function\. Pass its value: privateKeyJwt\(\)$/,
    ],
    [
      'a feature of the app in embedded()',
      auth({ features: [sessions()] }),
      /^embedded\(\{ features \}\) must be a list of values like/,
    ],
    [
      'a feature of embedded() of another copy of the package',
      auth({ features: [{ name: 'dpop', [Symbol('edgeway.auth-feature')]: {} }] }),
      /^embedded\(\{ features \}\): dpop\(\) comes from another copy of the package edgeway/,
    ],
    [
      'a client with keys and no privateKeyJwt()',
      auth({ clients: [{ id: 'a', jwksUri: 'https://a.example/keys', grantTypes: [] }] }),
      /client "a": it needs embedded\(\{ features: \[privateKeyJwt\(\)\] \}\)$/,
    ],
    [
      'a client with the method private_key_jwt and no privateKeyJwt()',
      auth({ clients: [{ id: 'a', authMethod: 'private_key_jwt', grantTypes: [] }] }),
      /client "a": it needs embedded\(\{ features: \[privateKeyJwt\(\)\] \}\)$/,
    ],
    [
      'a client that exchanges assertions and no assertions()',
      auth({ clients: [{ id: 'a', grantTypes: [JWT_BEARER] }] }),
      /client "a": it needs embedded\(\{ features: \[assertions\(\{ … \}\)\] \}\)$/,
    ],
    [
      'a client that must present DPoP proofs and no dpop()',
      auth({ clients: [{ id: 'a', redirectUris: ['https://a.example/cb'], dpopBound: true }] }),
      /client "a": it needs embedded\(\{ features: \[dpop\(\)\] \}\)$/,
    ],
    ['a login that was not called', auth({ login: github }), /^login must be the value of a login/],
    [
      'a login of the form of ownLogin() that was not made by it',
      auth({ login: { kind: 'redirect', name: 'a', begin: () => undefined } }),
      /^login must be the value of a login/,
    ],
    [
      'roles that are no function',
      auth({ scopesOf: { admins: ['read'] } }),
      /^scopesOf must be a function/,
    ],
    ['no list of people', auth({ allow: {} }), /^allow must have at least one list/],
    [
      'an unknown list of people',
      auth({ allow: { names: ['ann'] } }),
      /^allow has no list "names"/,
    ],
    [
      'a hook that is no function',
      auth({ hooks: { onIssue: {} } }),
      /^hooks\.onIssue must be a function/,
    ],
    [
      'a hook that does not exist',
      auth({ hooks: { onLogin: () => undefined } }),
      /^There is no hook "onLogin"/,
    ],
    ['no issuer', issuers(), /At least one issuer/],
    [
      'a feature of embedded() in external()',
      { auth: external({ ...EXTERNAL, features: [dpop(), privateKeyJwt() as never] }) },
      /^external\(\{ features \}\): privateKeyJwt\(\) is a feature of embedded\(\) alone$/,
    ],
    [
      'a feature of the app in external()',
      { auth: external({ ...EXTERNAL, features: [sessions() as never] }) },
      /^external\(\{ features \}\) must be a list of values like dpop\(\)$/,
    ],
    ['an issuer that is no URL', issuers({ issuer: 'idp' }), /^The issuer "idp"/],
    [
      'an issuer twice',
      issuers({ issuer: ISSUER }, { issuer: ISSUER }),
      /An issuer is configured twice/,
    ],
    [
      'keys without https',
      issuers({ issuer: ISSUER, jwksUri: 'http://a.example/jwks' }),
      /must be an https URL/,
    ],
    [
      'a symmetric algorithm',
      issuers({ issuer: ISSUER, algorithms: ['HS256'] }),
      /"HS256" is unknown or not asymmetric/,
    ],
  ])('throws for %s', (_, options, message) => {
    expect(() => create(options)).toThrow(TypeError)
    expect(() => create(options)).toThrow(message)
  })

  it('throws for a scope that embedded() does not declare, and names the tool', () => {
    expect(() => create(auth({}), ['write'])).toThrow(
      /^Tool "note" needs the scope "write", which no token can have: add it to embedded\(\{ scopes \}\)$/,
    )
    expect(() => create(auth({}), ['read'])).not.toThrow()
    expect(() => create(issuers({ issuer: ISSUER }), ['write'])).not.toThrow()
  })

  it.each([
    ['an origin', { allowedOrigins: ['https://app.example', 'http://localhost:3000', '*'] }],
    ['the origin of an extension', { allowedOrigins: ['chrome-extension://abcdefgh'] }],
    ['a host name and an address', { allowedHosts: ['box.local', '192.168.0.2', '[fe80::1]'] }],
    ['a path that only begins like one of authorization', { path: '/tokens', ...auth({}) }],
    [
      'a path of authorization without embedded()',
      { path: '/token', ...issuers({ issuer: ISSUER }) },
    ],
    ['one path for every transport', { httpSse: { path: '/mcp' } }],
  ])('accepts %s', (_, options) => {
    expect(() => create(options)).not.toThrow()
  })
})
