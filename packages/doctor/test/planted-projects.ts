/** The table of planted faults of projects: in the configuration, in the main module, and in the app that it creates. */
import type { FaultCode } from '../../faults/src/faults.ts'
import { CONFIGURATION, type Files, MAIN, ROOT, replaced } from './project.ts'

/** One way to plant a fault in the correct project: another `wrangler.toml`, or other files. */
export interface ProjectWay {
  readonly files: Files
  readonly isRepository?: true
  /** What the message says. */
  readonly says?: RegExp
}

type Ways = Readonly<Record<string, string | Files | readonly [string, RegExp] | ProjectWay>>

export interface PlantedProject extends ProjectWay {
  readonly fault: FaultCode
  /** Completes "the doctor names the fault when". */
  readonly when: string
}

const isWay = (way: object): way is ProjectWay => 'files' in way

function wayOf(way: Ways[string]): ProjectWay {
  if (typeof way === 'string') return { files: { 'wrangler.toml': way } }
  if (Array.isArray(way)) return { ...wayOf(way[0]), says: way[1] }
  return isWay(way) ? way : { files: way as Files }
}

const planted = (rows: Readonly<Partial<Record<FaultCode, Ways>>>): readonly PlantedProject[] =>
  Object.entries(rows).flatMap(([fault, ways]) =>
    Object.entries(ways as Ways).map(([when, way]) => ({
      fault: fault as FaultCode,
      when,
      ...wayOf(way),
    })),
  )

export const change = (part: string, by: string, text = CONFIGURATION) => replaced(text, part, by)
export const add = (text: string) => `${CONFIGURATION}\n${text}`

const DATE = 'compatibility_date = "2026-11-01"'
export const ORIGIN = '"https://mcp.example.com"'
export const ROUTE = '{ pattern = "mcp.example.com", custom_domain = true }'
export const origin = (text: string) => change(ORIGIN, `"${text}"`)
const route = (pattern: string) =>
  change(ROUTE, `{ pattern = "${pattern}", zone_name = "example.com" }`)
export const variable = (text: string) => change('[vars]', `[vars]\n${text}`)

export const binding = (name: string, className: string) =>
  `[[durable_objects.bindings]]\nname = "${name}"\nclass_name = "${className}"\n`
const OBJECTS = binding('MCP_OBJECTS', 'McpObjects')
const migration = (rest: string, tag = 'v2') => add(`[[migrations]]\ntag = "${tag}"\n${rest}`)

export const limit = (name: string, period: number, namespace: string) =>
  `[[ratelimits]]\nname = "${name}"\nnamespace_id = "${namespace}"\nsimple = { limit = 5, period = ${period} }\n`

const BINDINGS = '{ name = "MCP_OBJECTS", class_name = "McpObjects" }'
export const PRODUCTION_VARS = `vars = { EDGEWAY_ORIGIN = ${ORIGIN} }`
export const production = (rest: string, bindings = BINDINGS) =>
  add(`[env.production]\ndurable_objects.bindings = [${bindings}]\n${rest}`)

export const assets = (more: string): Files => ({
  'wrangler.toml': add(
    `[assets]\ndirectory = "public"\nnot_found_handling = "single-page-application"\n${more}`,
  ),
  'public/index.html': '<h1>App</h1>',
})

export const bucket = (more: string) =>
  `[[r2_buckets]]\nbinding = "MCP_FILES"\nbucket_name = "files"\n${more}\n`

/** In `wrangler.toml` and beside it. */
export const CONFIGURATIONS = planted({
  'object-binding-missing': {
    'the class of Edgeway has no binding': [
      change(OBJECTS, ''),
      /^"MCP_OBJECTS" with the class "McpObjects"$/,
    ],
    'the class of Edgeway is bound under another name': [
      change('"MCP_OBJECTS"', '"OBJECTS"'),
      /^"MCP_OBJECTS" with the class "McpObjects"$/,
    ],
  },
  'object-not-exported': {
    'the class name of a binding is misspelt': [
      change('class_name = "McpObjects"', 'class_name = "McpObject"'),
      /"MCP_OBJECTS" has the class "McpObject"; the exported classes are "McpObjects"/,
    ],
  },
  'objects-old-form': {
    'the bindings of the form with a class for each kind are left': [
      change(
        '[[migrations]]',
        `${binding('MCP_HUB', 'McpHub')}${binding('MCP_ACCOUNT', 'McpAccount')}[[migrations]]`,
      ),
      /"MCP_HUB", "MCP_ACCOUNT"/,
    ],
    'the bindings of an environment are those of the form with a class for each kind': [
      production(
        PRODUCTION_VARS,
        `${BINDINGS}, { name = "MCP_SESSION", class_name = "McpSession" }`,
      ),
      /"MCP_SESSION"/,
    ],
  },
  'migration-missing': {
    'a class has no migration': [change('"McpObjects"]', ']'), /"McpObjects"/],
  },
  'migration-not-sqlite': {
    'the classes are created without SQLite': [
      change('new_sqlite_classes', 'new_classes'),
      /"McpObjects"/,
    ],
  },
  'migration-class-removed': {
    'a later migration deletes a class': [
      migration('deleted_classes = ["McpObjects"]'),
      /"McpObjects"/,
    ],
    'a bound class has been renamed': [
      migration('renamed_classes = [{ from = "McpObjects", to = "All" }]'),
      /"McpObjects"/,
    ],
  },
  'migration-invalid': {
    'a migration deletes a class that does not exist': [
      migration('deleted_classes = ["Notes"]'),
      /"v2" deletes "Notes", which does not exist/,
    ],
    'two migrations have the same tag': [
      migration('new_sqlite_classes = ["Notes"]', 'v1'),
      /Two migrations have the tag "v1"/,
    ],
    'a migration creates a class again': [
      migration('new_sqlite_classes = ["McpObjects"]'),
      /"v2" creates "McpObjects", which exists/,
    ],
  },
  'migration-order': {
    'a migration was inserted before an older one': [
      change(
        '[[migrations]]',
        '[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Notes"]\n[[migrations]]\ndeleted_classes = ["Notes"]',
      ),
      /"v1" comes late in "v2, v1"/,
    ],
  },
  'migration-class-not-exported': {
    'a migration creates a class that is not exported': [
      migration('new_sqlite_classes = ["Notes"]'),
      /The class "Notes"/,
    ],
  },
  'compatibility-date-invalid': {
    'the compatibility date is missing': [change(DATE, ''), /compatibility_date is nothing/],
    'the compatibility date is in the future': [change('2026-11-01', '2199-01-01'), /"2199-01-01"/],
  },
  'compatibility-date-old': {
    'the compatibility date is too old': [
      change('2026-11-01', '2023-05-01'),
      /"2023-05-01", before 2024-04-03/,
    ],
  },
  'compatibility-flags-refused': {
    'a compatibility flag does not exist': [
      change('"enable_request_signal"', '"enable_request_signals"'),
      /enable_request_signals/,
    ],
  },
  'request-signal-missing': {
    'the flag enable_request_signal is missing': [
      change('"enable_request_signal", ', ''),
      /compatibility_flags is \["global_fetch_strictly_public"\]/,
    ],
    'a flag disables the signal of requests': change(
      '"enable_request_signal"',
      '"disable_request_signal"',
    ),
    'two environments have no flags': [
      [
        production(`${PRODUCTION_VARS}\ncompatibility_flags = ["global_fetch_strictly_public"]`),
        `[env.staging]\ndurable_objects.bindings = [${BINDINGS}]\n${PRODUCTION_VARS}`,
        'compatibility_flags = ["global_fetch_strictly_public"]',
      ].join('\n'),
      /In the environment production, staging: compatibility_flags/,
    ],
  },
  'public-fetch-missing': {
    'the flag global_fetch_strictly_public is missing': [
      change(', "global_fetch_strictly_public"', ''),
      /compatibility_flags is \["enable_request_signal"\]/,
    ],
  },
  'secret-in-configuration': {
    'the passphrase is a variable': [
      variable('EDGEWAY_PASSPHRASE = "correct horse"'),
      /vars has "EDGEWAY_PASSPHRASE"/,
    ],
    'EDGEWAY_SECRET is a variable': [
      variable(`EDGEWAY_SECRET = "${'x'.repeat(40)}"`),
      /vars has "EDGEWAY_SECRET"/,
    ],
    'the secret of a provider is a variable': [
      variable('GITHUB_CLIENT_SECRET = "abc"'),
      /vars has "GITHUB_CLIENT_SECRET"/,
    ],
    'a secret is a variable at the top level, beside an environment': [
      change('[vars]', '[vars]\nEDGEWAY_PASSPHRASE = "one two"', production(PRODUCTION_VARS)),
      /vars has "EDGEWAY_PASSPHRASE"/,
    ],
  },
  'secret-checked-in': {
    'a secret is checked in': {
      files: { '.dev.vars': `EDGEWAY_SECRET=${'k'.repeat(40)}` },
      isRepository: true,
    },
  },
  'secret-too-short': { 'a secret is short': { '.dev.vars': 'EDGEWAY_SECRET=short' } },
  'origin-missing': {
    'there is no origin': [change('EDGEWAY_ORIGIN', 'OTHER'), /EDGEWAY_ORIGIN is not set/],
  },
  'origin-invalid': {
    'the origin is plain http': [origin('http://mcp.example.com'), /"http:\/\/mcp\.example\.com"/],
    'the variable for development is in the configuration': [
      origin('development'),
      /^It is "development"$/,
    ],
    'the origin has a path': [
      origin('https://mcp.example.com/mcp'),
      /"https:\/\/mcp\.example\.com\/mcp"/,
    ],
    'the origin ends with a slash': [
      origin('https://mcp.example.com/'),
      /"https:\/\/mcp\.example\.com\/"/,
    ],
    'the placeholder of the origin was not replaced': [
      origin('https://project.<your subdomain>.workers.dev'),
      /"https:\/\/project\.<your"/,
    ],
  },
  'port-not-443': {
    'the origin has another port than 443': origin('https://mcp.example.com:8443'),
  },
  'origin-not-routed': {
    'the routes lead from another host': [
      change('pattern = "mcp.example.com"', 'pattern = "mcp.example.org"'),
      /the routes are of "mcp\.example\.org"/,
    ],
    'the origin is the workers.dev name of another Worker': [
      change(`routes = [${ROUTE}]`, '', origin('https://other.me.workers.dev')),
      /the name of the Worker is "project"/,
    ],
    'the origin is on workers.dev, which routes switch off': [
      origin('https://project.me.workers.dev'),
      /workers_dev is not true/,
    ],
    'the origin is that of development': [origin('http://localhost:8787'), /it is a local name/],
    'the origin is a private address': origin('https://192.168.1.4'),
  },
  'route-incomplete': {
    'the route leads to /mcp alone': [
      route('mcp.example.com/mcp*'),
      /Of mcp\.example\.com: "\/sse", "\/\.well-known\//,
    ],
    'the route has no wildcard': route('mcp.example.com/'),
  },
  'rate-limit-binding-invalid': {
    'a rate limiting binding has no class': [
      add(limit('MCP_LIMIT_SIGNIN', 60, '1')),
      /"MCP_LIMIT_SIGNIN" has no class "signin"/,
    ],
    'a rate limiting binding has another period than its class': [
      add(limit('MCP_LIMIT_TOKEN', 10, '1')),
      /"MCP_LIMIT_TOKEN" has the period 10, and the class has 60 seconds/,
    ],
    'two rate limiting bindings have one namespace': [
      add(limit('MCP_LIMIT_NETWORK', 60, '1') + limit('MCP_LIMIT_TOKEN', 60, '1')),
      /"MCP_LIMIT_TOKEN" counts together with "MCP_LIMIT_NETWORK"/,
    ],
  },
  'environment-not-inherited': {
    'an environment has no bindings': [
      add(`[env.production]\n${PRODUCTION_VARS}`),
      /In the environment production: Missing: "MCP_OBJECTS"/,
    ],
    'an environment has no origin': [
      production(''),
      /In the environment production: Missing: "EDGEWAY_ORIGIN"/,
    ],
    'an environment has no jurisdiction': [
      change('[vars]', '[vars]\nEDGEWAY_JURISDICTION = "eu"', production(PRODUCTION_VARS)),
      /In the environment production: Missing: "EDGEWAY_JURISDICTION"/,
    ],
  },
  'jurisdiction-unknown': {
    'the jurisdiction does not exist': variable('EDGEWAY_JURISDICTION = "europe"'),
  },
  'jurisdictions-differ': {
    'the bucket of files is outside the jurisdiction of the objects': change(
      '[vars]',
      `${bucket('')}\n[vars]\nEDGEWAY_JURISDICTION = "eu"`,
    ),
    'the bucket of files has a jurisdiction and the objects have none': add(
      bucket('jurisdiction = "eu"'),
    ),
    'the bucket of an environment is in another jurisdiction than its objects': [
      production(
        `${PRODUCTION_VARS.replace('{', '{ EDGEWAY_JURISDICTION = "eu",')}\nr2_buckets = [{ binding = "MCP_FILES", bucket_name = "files" }]`,
      ),
      /In the environment production: the objects of "project": eu, EDGEWAY_JURISDICTION: eu, the bucket "MCP_FILES": none$/,
    ],
  },
  'assets-hide-server': {
    'static assets answer every navigation': {
      files: assets(''),
      says: /not_found_handling is "single-page-application", and run_worker_first does not have "\/authorize", "\/authorize\/decision", "\/authorize\/callback"$/,
    },
    'static assets answer navigations to a part of the server': assets(
      'run_worker_first = ["/mcp*"]',
    ),
  },
})

const main = (part: string, by: string): Files => ({ 'worker.ts': replaced(MAIN, part, by) })
const auth = (options: string) =>
  main("scopes: { greet: 'Greet' }", `scopes: { greet: 'Greet' }, ${options}`)
const app = (options: string) =>
  main('createEdgeway(server, {', `createEdgeway(server, { ${options},`)
const configured = (part: string, by: string): Files => ({ 'wrangler.toml': change(part, by) })

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
export const MODULES = planted({
  'worker-not-built': {
    'the main module has a syntax error': {
      files: main('const edgeway', 'const edgeway edgeway'),
      says: /worker\.ts:10:14: Expected ";" but found "edgeway"/,
    },
  },
  'async-hooks-missing': {
    'a flag for edgeway/context is missing, with a date that does not include it': {
      files: {
        'worker.ts': `export { getContext } from '${ROOT}/src/context/index.ts'\n${MAIN}`,
        ...configured('2026-11-01', '2025-01-01'),
      },
      says: /imports node:async_hooks/,
    },
  },
  'worker-without-handler': {
    'the app is not exported': main('export default edgeway\n', ''),
  },
  'object-not-exported': {
    'the class of Edgeway is not exported': main(EXPORT, ''),
  },
  'object-binding-wrong-class': {
    'the class is another one': {
      'worker.ts': `import { DurableObject } from 'cloudflare:workers'\n${replaced(MAIN, 'edgeway.Objects', 'DurableObject')}`,
    },
  },
  'migration-class-not-exported': {
    'the class and its binding were removed, and a migration has created the class': {
      ...configured(OBJECTS, ''),
      'worker.ts': WITHOUT_OBJECTS.replace(EXPORT, ''),
    },
  },
  'object-not-bound': {
    'a feature without authorization has no binding': {
      ...configured(OBJECTS, ''),
      'worker.ts': WITHOUT_AUTH,
    },
  },
  'objects-old-form': {
    'each kind has a class of its own, as before': {
      ...configured('OBJECTS"\nclass_name = "McpObjects"', 'HUB"\nclass_name = "McpHub"'),
      ...main(EXPORT, 'export class McpHub extends edgeway.objects.McpHub {}\n'),
    },
    'classes are taken from edgeway.objects, as before': main(
      EXPORT,
      'export const { McpHub, McpSession } = edgeway.objects\n',
    ),
    'a class keeps the rows of a removed feature, as before': {
      ...configured(
        OBJECTS,
        `${OBJECTS}${OBJECTS.replace('OBJECTS', 'HUB').replace('McpObjects', 'McpHub')}`,
      ),
      ...main(EXPORT, `${EXPORT}export { UnusedObject as McpHub } from '${ENTRY}'\n`),
    },
  },
  'worker-does-not-start': {
    'a tool needs a scope that no token can have': {
      files: main("{ greet: 'Greet' }", "{ read: 'Read' }"),
      says: /TypeError: Tool "greet" needs the scope "greet", which no token can have/,
    },
    'tasks() is missing, and a tool has task': main(
      "{ scopes: ['greet'] }",
      "{ scopes: ['greet'], task: 'optional' }",
    ),
    'a limit does not exist': app('limits: { toolTimeoutMs: 900_000 }'),
    'the path ends with a slash': app("path: '/mcp/'"),
  },
  'jurisdictions-differ': {
    'the option jurisdiction and EDGEWAY_JURISDICTION differ': {
      ...configured('[vars]', '[vars]\nEDGEWAY_JURISDICTION = "us"'),
      ...app("jurisdiction: 'eu'"),
    },
  },
})

/** Of the app that a main module creates. */
export const APPS = planted({
  'tool-schema-too-large': {
    'an inputSchema has 17,000 bytes': main(
      TOOL,
      "'greet', { scopes: ['greet'], inputSchema: jsonSchema({ type: 'object', properties: { a: { description: 'x'.repeat(17000) } } }) }",
    ),
  },
  'tool-name-too-long': {
    'the name of a tool has 70 characters': main(TOOL, "'n'.repeat(70), { scopes: ['greet'] }"),
  },
  'tool-name-characters': {
    'the name of a tool has a dot': main(TOOL, "'say.hello', { scopes: ['greet'] }"),
  },
  'tool-output-not-object': {
    'an outputSchema has anyOf at its root': main(TOOL, `'greet', ${UNION}`),
  },
  'token-short-lived': {
    'access tokens live an hour': auth('limits: { accessTtlMs: 3_600_000 }'),
  },
  'refresh-not-concurrent': {
    'a refresh token has no grace': auth('limits: { refreshGraceMs: 1 }'),
  },
  'stream-no-keep-alive': {
    'the keep-alive of streams is ten minutes': app('limits: { keepAliveMs: 600_000 }'),
  },
})
