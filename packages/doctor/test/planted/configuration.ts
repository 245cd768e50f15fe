/** Planted faults of the configuration of a project. */
import type { FaultCode } from '../../../faults/src/faults.ts'
import { CONFIGURATION, type Files, MAIN, replaced } from '../project.ts'

export interface PlantedProject {
  readonly when: string
  readonly fault: FaultCode
  readonly files: Files
  readonly isRepository?: true
}

export interface PlantedApp {
  readonly when: string
  readonly fault: FaultCode
  readonly main: string
}

const change = (part: string, by: string): Files => ({
  'wrangler.toml': replaced(CONFIGURATION, part, by),
})
const add = (text: string): Files => ({ 'wrangler.toml': `${CONFIGURATION}\n${text}` })

const ORIGIN = '"https://mcp.example.com"'
const ROUTE = '{ pattern = "mcp.example.com", custom_domain = true }'
const route = (pattern: string) =>
  change(ROUTE, `{ pattern = "${pattern}", zone_name = "example.com" }`)

const BINDINGS = '{ name = "MCP_OBJECTS", class_name = "McpObjects" }'

const OBJECTS = '[[durable_objects.bindings]]\nname = "MCP_OBJECTS"\nclass_name = "McpObjects"\n'

const assets = (more: string) =>
  add(`[assets]\ndirectory = "public"\nnot_found_handling = "single-page-application"\n${more}`)

const bucket = (more: string) =>
  `[[r2_buckets]]\nbinding = "MCP_FILES"\nbucket_name = "files"\n${more}\n`

/** In `wrangler.toml` and beside it. */
export const CONFIGURATIONS: readonly PlantedProject[] = [
  {
    when: 'the flag enable_request_signal is missing',
    fault: 'request-signal-missing',
    files: change('"enable_request_signal", ', ''),
  },
  {
    when: 'a flag disables the signal of requests',
    fault: 'request-signal-missing',
    files: change('"enable_request_signal"', '"disable_request_signal"'),
  },
  {
    when: 'the flag global_fetch_strictly_public is missing',
    fault: 'public-fetch-missing',
    files: change(', "global_fetch_strictly_public"', ''),
  },
  {
    when: 'the route leads to /mcp alone',
    fault: 'route-incomplete',
    files: route('mcp.example.com/mcp*'),
  },
  {
    when: 'the route has no wildcard',
    fault: 'route-incomplete',
    files: route('mcp.example.com/'),
  },
  {
    when: 'the origin is plain http',
    fault: 'origin-invalid',
    files: change(ORIGIN, '"http://mcp.example.com"'),
  },
  {
    when: 'the origin has a path',
    fault: 'origin-invalid',
    files: change(ORIGIN, '"https://mcp.example.com/mcp"'),
  },
  {
    when: 'the origin ends with a slash',
    fault: 'origin-invalid',
    files: change(ORIGIN, '"https://mcp.example.com/"'),
  },
  {
    when: 'the origin has another port than 443',
    fault: 'port-not-443',
    files: change(ORIGIN, '"https://mcp.example.com:8443"'),
  },
  {
    when: 'the origin is another host than that of the route',
    fault: 'origin-not-routed',
    files: change(ORIGIN, '"https://api.example.com"'),
  },
  {
    when: 'the origin is that of development',
    fault: 'origin-not-routed',
    files: change(ORIGIN, '"http://localhost:8787"'),
  },
  {
    when: 'the origin is a private address',
    fault: 'origin-not-routed',
    files: change(ORIGIN, '"https://192.168.1.4"'),
  },
  {
    when: 'there is no origin',
    fault: 'origin-missing',
    files: change('EDGEWAY_ORIGIN', 'OTHER'),
  },
  {
    when: 'the classes are created without SQLite',
    fault: 'migration-not-sqlite',
    files: change('new_sqlite_classes', 'new_classes'),
  },
  {
    when: 'a class has no migration',
    fault: 'migration-missing',
    files: change('"McpObjects"]', ']'),
  },
  {
    when: 'a later migration deletes a class',
    fault: 'migration-class-removed',
    files: add('[[migrations]]\ntag = "v2"\ndeleted_classes = ["McpObjects"]'),
  },
  {
    when: 'the class of Edgeway has no binding',
    fault: 'object-binding-missing',
    files: change(OBJECTS, ''),
  },
  {
    when: 'an environment has no bindings',
    fault: 'environment-not-inherited',
    files: add(`[env.production]\nvars = { EDGEWAY_ORIGIN = ${ORIGIN} }`),
  },
  {
    when: 'an environment has no variables',
    fault: 'environment-not-inherited',
    files: add(`[env.production]\ndurable_objects.bindings = [${BINDINGS}]`),
  },
  {
    when: 'the passphrase is a variable',
    fault: 'secret-in-configuration',
    files: change('[vars]', '[vars]\nEDGEWAY_PASSPHRASE = "correct horse"'),
  },
  {
    when: 'a secret is checked in',
    fault: 'secret-checked-in',
    files: { '.dev.vars': `EDGEWAY_SECRET=${'k'.repeat(40)}` },
    isRepository: true,
  },
  {
    when: 'a secret is short',
    fault: 'secret-too-short',
    files: { '.dev.vars': 'EDGEWAY_SECRET=short' },
  },
  {
    when: 'a rate limit has another period than its class',
    fault: 'rate-limit-binding-invalid',
    files: add(
      '[[ratelimits]]\nname = "MCP_LIMIT_TOKEN"\nnamespace_id = "1"\nsimple = { limit = 5, period = 10 }',
    ),
  },
  {
    when: 'the jurisdiction does not exist',
    fault: 'jurisdiction-unknown',
    files: change('[vars]', '[vars]\nEDGEWAY_JURISDICTION = "europe"'),
  },
  {
    when: 'the bucket of files is outside the jurisdiction of the objects',
    fault: 'jurisdictions-differ',
    files: change('[vars]', `${bucket('')}\n[vars]\nEDGEWAY_JURISDICTION = "eu"`),
  },
  {
    when: 'the bucket of files has a jurisdiction and the objects have none',
    fault: 'jurisdictions-differ',
    files: add(bucket('jurisdiction = "eu"')),
  },
  {
    when: 'static assets answer every navigation',
    fault: 'assets-hide-server',
    files: { ...assets(''), 'public/index.html': '<h1>App</h1>' },
  },
  {
    when: 'static assets answer navigations to a part of the server',
    fault: 'assets-hide-server',
    files: { ...assets('run_worker_first = ["/mcp*"]'), 'public/index.html': '<h1>App</h1>' },
  },
]

/** Correct, although static assets answer navigations to other paths than those of pages. */
export const CORRECT_ASSETS: Files = {
  ...assets('run_worker_first = ["/authorize*", "/account*", "/login", "/logout"]'),
  'public/index.html': '<h1>App</h1>',
}

const main = (part: string, by: string): Files => ({ 'worker.ts': replaced(MAIN, part, by) })
const auth = (options: string) =>
  replaced(MAIN, "scopes: { greet: 'Greet' }", `scopes: { greet: 'Greet' }, ${options}`)
const app = (options: string) =>
  replaced(MAIN, 'createEdgeway(server, {', `createEdgeway(server, { ${options},`)

const TOOL = "'greet', { scopes: ['greet'] }"
const UNION = `{ scopes: ['greet'], outputSchema: jsonSchema({ anyOf: [{ type: 'object' }, { type: 'string' }] }) }`

const EXPORT = 'export class McpObjects extends edgeway.Objects {}\n'
const ENTRY = /from '([^']*src\/index\.ts)'/.exec(MAIN)?.[1] ?? ''

const WITHOUT_AUTH = [
  ["  auth: embedded({ scopes: { greet: 'Greet' } }),\n", ''],
  [", { scopes: ['greet'] }", ', {}'],
].reduce((text, [part = '', by = '']) => replaced(text, part, by), MAIN)

/** Without features. */
const WITHOUT_OBJECTS = replaced(WITHOUT_AUTH, 'sessions(), changes()', '')

/** In the main module. */
export const MODULES: readonly PlantedProject[] = [
  {
    when: 'the app is not exported',
    fault: 'worker-without-handler',
    files: main('export default edgeway\n', ''),
  },
  {
    when: 'the class of Edgeway is not exported',
    fault: 'object-not-exported',
    files: main(EXPORT, ''),
  },
  {
    when: 'the class is another one',
    fault: 'object-binding-wrong-class',
    files: {
      'worker.ts': `import { DurableObject } from 'cloudflare:workers'\n${replaced(MAIN, 'edgeway.Objects', 'DurableObject')}`,
    },
  },
  {
    when: 'the class and its binding were removed, and a migration has created the class',
    fault: 'migration-class-not-exported',
    files: { ...change(OBJECTS, ''), 'worker.ts': WITHOUT_OBJECTS.replace(EXPORT, '') },
  },
  {
    when: 'a feature without authorization has no binding',
    fault: 'object-not-bound',
    files: { ...change(OBJECTS, ''), 'worker.ts': WITHOUT_AUTH },
  },
  {
    when: 'each kind has a class of its own, as before',
    fault: 'objects-old-form',
    files: {
      ...change('OBJECTS"\nclass_name = "McpObjects"', 'HUB"\nclass_name = "McpHub"'),
      ...main(EXPORT, 'export class McpHub extends edgeway.objects.McpHub {}\n'),
    },
  },
  {
    when: 'classes are taken from edgeway.objects, as before',
    fault: 'objects-old-form',
    files: main(EXPORT, 'export const { McpHub, McpSession } = edgeway.objects\n'),
  },
  {
    when: 'a class keeps the rows of a removed feature, as before',
    fault: 'objects-old-form',
    files: {
      ...change(
        OBJECTS,
        `${OBJECTS}${OBJECTS.replace('OBJECTS', 'HUB').replace('McpObjects', 'McpHub')}`,
      ),
      ...main(EXPORT, `${EXPORT}export { UnusedObject as McpHub } from '${ENTRY}'\n`),
    },
  },
  {
    when: 'tasks() is missing, and a tool has task',
    fault: 'worker-does-not-start',
    files: main("{ scopes: ['greet'] }", "{ scopes: ['greet'], task: 'optional' }"),
  },
  {
    when: 'a limit does not exist',
    fault: 'worker-does-not-start',
    files: { 'worker.ts': app('limits: { toolTimeoutMs: 900_000 }') },
  },
  {
    when: 'the path ends with a slash',
    fault: 'worker-does-not-start',
    files: { 'worker.ts': app("path: '/mcp/'") },
  },
  {
    when: 'the option jurisdiction and EDGEWAY_JURISDICTION differ',
    fault: 'jurisdictions-differ',
    files: {
      ...change('[vars]', '[vars]\nEDGEWAY_JURISDICTION = "us"'),
      'worker.ts': app("jurisdiction: 'eu'"),
    },
  },
]

/** Of the app that a main module creates. */
export const APPS: readonly PlantedApp[] = [
  {
    when: 'an inputSchema has 17,000 bytes',
    fault: 'tool-schema-too-large',
    main: replaced(
      MAIN,
      TOOL,
      "'greet', { scopes: ['greet'], inputSchema: jsonSchema({ type: 'object', properties: { a: { description: 'x'.repeat(17000) } } }) }",
    ),
  },
  {
    when: 'the name of a tool has 70 characters',
    fault: 'tool-name-too-long',
    main: replaced(MAIN, TOOL, "'n'.repeat(70), { scopes: ['greet'] }"),
  },
  {
    when: 'the name of a tool has a dot',
    fault: 'tool-name-characters',
    main: replaced(MAIN, TOOL, "'say.hello', { scopes: ['greet'] }"),
  },
  {
    when: 'an outputSchema has anyOf at its root',
    fault: 'tool-output-not-object',
    main: replaced(MAIN, TOOL, `'greet', ${UNION}`),
  },
  {
    when: 'access tokens live an hour',
    fault: 'token-short-lived',
    main: auth('limits: { accessTtlMs: 3_600_000 }'),
  },
  {
    when: 'a refresh token has no grace',
    fault: 'refresh-not-concurrent',
    main: auth('limits: { refreshGraceMs: 1 }'),
  },
  {
    when: 'the keep-alive of streams is ten minutes',
    fault: 'stream-no-keep-alive',
    main: app('limits: { keepAliveMs: 600_000 }'),
  },
]
