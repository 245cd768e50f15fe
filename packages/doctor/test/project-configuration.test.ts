/** `edgeway doctor --config` on a correct project whose configuration has one mistake at a time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAULT_GROUPS, type FaultCode } from '../../faults/src/faults.ts'
import { faultsOf } from '../src/config/examine-project.ts'
import type { DescribedExport } from '../src/config/inspector.ts'
import { readSecretFiles } from '../src/config/local-secrets.ts'
import type { ProjectObservations } from '../src/config/project-observations.ts'
import { type ConfigurationExaminer, createExaminer } from './examine-configuration.ts'
import { CONFIGURATIONS } from './planted/configuration.ts'
import { CONFIGURATION, createProject, initGit, replaced } from './project.ts'

let examiner: ConfigurationExaminer
let correct: ProjectObservations

beforeAll(async () => {
  examiner = await createExaminer()
  correct = examiner.correct
})

afterAll(() => examiner.project.remove())

const examineConfiguration: ConfigurationExaminer['examine'] = (text, change) =>
  examiner.examine(text, change)

interface Mistake {
  readonly mistake: string
  readonly fault: FaultCode
  readonly says: RegExp
  readonly text: string
}

const change = (part: string, by: string) => replaced(CONFIGURATION, part, by)
const add = (text: string) => `${CONFIGURATION}\n${text}`
const binding = (name: string, className: string) =>
  `[[durable_objects.bindings]]\nname = "${name}"\nclass_name = "${className}"\n`
const limit = (name: string, period: number, namespace: string) =>
  `[[ratelimits]]\nname = "${name}"\nnamespace_id = "${namespace}"\nsimple = { limit = 5, period = ${period} }\n`

const ALL_BINDINGS = '{ name = "MCP_OBJECTS", class_name = "McpObjects" }'
const production = (rest: string) =>
  add(`[env.production]\ndurable_objects.bindings = [${ALL_BINDINGS}]\n${rest}`)
const PRODUCTION_VARS = 'vars = { EDGEWAY_ORIGIN = "https://mcp.example.com" }'

const MISTAKES: readonly Mistake[] = [
  {
    mistake: 'the binding of the class of Edgeway is missing',
    fault: 'object-binding-missing',
    says: /^"MCP_OBJECTS" with the class "McpObjects"$/,
    text: change(binding('MCP_OBJECTS', 'McpObjects'), ''),
  },
  {
    mistake: 'the class of Edgeway is bound under another name',
    fault: 'object-binding-missing',
    says: /^"MCP_OBJECTS" with the class "McpObjects"$/,
    text: change('"MCP_OBJECTS"', '"OBJECTS"'),
  },
  {
    mistake: 'the class name of a binding is misspelt',
    fault: 'object-not-exported',
    says: /"MCP_OBJECTS" has the class "McpObject"; the exported classes are "McpObjects"/,
    text: change('class_name = "McpObjects"', 'class_name = "McpObject"'),
  },
  {
    mistake: 'the bindings of the form with a class for each kind are left',
    fault: 'objects-old-form',
    says: /^"MCP_HUB", "MCP_ACCOUNT"$/,
    text: change(
      '[[migrations]]',
      `${binding('MCP_HUB', 'McpHub')}${binding('MCP_ACCOUNT', 'McpAccount')}[[migrations]]`,
    ),
  },
  {
    mistake: 'the bindings of an environment are those of the form with a class for each kind',
    fault: 'objects-old-form',
    says: /^"MCP_SESSION"$/,
    text: add(
      `[env.production]\ndurable_objects.bindings = [${ALL_BINDINGS}, { name = "MCP_SESSION", class_name = "McpSession" }]\n${PRODUCTION_VARS}`,
    ),
  },
  {
    mistake: 'no migration creates a class',
    fault: 'migration-missing',
    says: /"McpObjects"/,
    text: change('"McpObjects"]', ']'),
  },
  {
    mistake: 'a class is created without SQLite',
    fault: 'migration-not-sqlite',
    says: /"McpObjects"/,
    text: change('new_sqlite_classes', 'new_classes'),
  },
  {
    mistake: 'a bound class has been deleted',
    fault: 'migration-class-removed',
    says: /"McpObjects"/,
    text: add('[[migrations]]\ntag = "v2"\ndeleted_classes = ["McpObjects"]'),
  },
  {
    mistake: 'a bound class has been renamed',
    fault: 'migration-class-removed',
    says: /"McpObjects"/,
    text: add(
      '[[migrations]]\ntag = "v2"\nrenamed_classes = [{ from = "McpObjects", to = "All" }]',
    ),
  },
  {
    mistake: 'a migration deletes a class that does not exist',
    fault: 'migration-invalid',
    says: /"v2" deletes "Notes", which does not exist/,
    text: add('[[migrations]]\ntag = "v2"\ndeleted_classes = ["Notes"]'),
  },
  {
    mistake: 'two migrations have the same tag',
    fault: 'migration-invalid',
    says: /Two migrations have the tag "v1"/,
    text: add('[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Notes"]'),
  },
  {
    mistake: 'a migration creates a class again',
    fault: 'migration-invalid',
    says: /"v2" creates "McpObjects", which exists/,
    text: add('[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["McpObjects"]'),
  },
  {
    mistake: 'a migration was inserted before an older one',
    fault: 'migration-order',
    says: /"v1" comes late in "v2, v1"/,
    text: change(
      '[[migrations]]',
      '[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Notes"]\n[[migrations]]\ndeleted_classes = ["Notes"]',
    ),
  },
  {
    mistake: 'a migration creates a class that is not exported',
    fault: 'migration-class-not-exported',
    says: /^The class "Notes"$/,
    text: add('[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Notes"]'),
  },
  {
    mistake: 'the compatibility date is missing',
    fault: 'compatibility-date-invalid',
    says: /compatibility_date is nothing/,
    text: change('compatibility_date = "2026-11-01"', ''),
  },
  {
    mistake: 'the compatibility date is in the future',
    fault: 'compatibility-date-invalid',
    says: /"2199-01-01"/,
    text: change('2026-11-01', '2199-01-01'),
  },
  {
    mistake: 'the compatibility date is too old',
    fault: 'compatibility-date-old',
    says: /"2023-05-01", before 2024-04-03/,
    text: change('2026-11-01', '2023-05-01'),
  },
  {
    mistake: 'a compatibility flag does not exist',
    fault: 'compatibility-flags-refused',
    says: /enable_request_signals/,
    text: change('"enable_request_signal"', '"enable_request_signals"'),
  },
  {
    mistake: 'the flag for disconnected clients is missing',
    fault: 'request-signal-missing',
    says: /compatibility_flags is \["global_fetch_strictly_public"\]/,
    text: change('"enable_request_signal", ', ''),
  },
  {
    mistake: 'the flag for fetches of client URLs is missing',
    fault: 'public-fetch-missing',
    says: /compatibility_flags is \["enable_request_signal"\]/,
    text: change(', "global_fetch_strictly_public"', ''),
  },
  {
    mistake: 'EDGEWAY_SECRET is a variable',
    fault: 'secret-in-configuration',
    says: /vars has "EDGEWAY_SECRET"/,
    text: change('[vars]', `[vars]\nEDGEWAY_SECRET = "${'x'.repeat(40)}"`),
  },
  {
    mistake: 'the secret of a provider is a variable',
    fault: 'secret-in-configuration',
    says: /vars has "GITHUB_CLIENT_SECRET"/,
    text: change('[vars]', '[vars]\nGITHUB_CLIENT_SECRET = "abc"'),
  },
  {
    mistake: 'a deployed server with authorization has no origin',
    fault: 'origin-missing',
    says: /EDGEWAY_ORIGIN is not set/,
    text: change('EDGEWAY_ORIGIN = "https://mcp.example.com"', ''),
  },
  {
    mistake: 'the origin is plain http',
    fault: 'origin-invalid',
    says: /"http:\/\/mcp\.example\.com"/,
    text: change('"https://mcp.example.com"', '"http://mcp.example.com"'),
  },
  {
    mistake: 'the variable for development is in the configuration',
    fault: 'origin-invalid',
    says: /^It is "development"$/,
    text: change('"https://mcp.example.com"', '"development"'),
  },
  {
    mistake: 'the origin has a path',
    fault: 'origin-invalid',
    says: /"https:\/\/mcp\.example\.com\/mcp"/,
    text: change('"https://mcp.example.com"', '"https://mcp.example.com/mcp"'),
  },
  {
    mistake: 'the origin has a slash at the end',
    fault: 'origin-invalid',
    says: /"https:\/\/mcp\.example\.com\/"/,
    text: change('"https://mcp.example.com"', '"https://mcp.example.com/"'),
  },
  {
    mistake: 'the placeholder of the origin was not replaced',
    fault: 'origin-invalid',
    says: /"https:\/\/project\.<your"/,
    text: change('"https://mcp.example.com"', '"https://project.<your subdomain>.workers.dev"'),
  },
  {
    mistake: 'the routes lead from another host',
    fault: 'origin-not-routed',
    says: /the routes are of "mcp\.example\.org"/,
    text: change('pattern = "mcp.example.com"', 'pattern = "mcp.example.org"'),
  },
  {
    mistake: 'the origin is the workers.dev name of another Worker',
    fault: 'origin-not-routed',
    says: /the name of the Worker is "project"/,
    text: replaced(
      change('"https://mcp.example.com"', '"https://other.me.workers.dev"'),
      'routes = [{ pattern = "mcp.example.com", custom_domain = true }]',
      '',
    ),
  },
  {
    mistake: 'the origin is on workers.dev, which routes switch off',
    fault: 'origin-not-routed',
    says: /workers_dev is not true/,
    text: change('"https://mcp.example.com"', '"https://project.me.workers.dev"'),
  },
  {
    mistake: 'the deployed origin is a local name',
    fault: 'origin-not-routed',
    says: /it is a local name/,
    text: change('"https://mcp.example.com"', '"http://localhost:8787"'),
  },
  {
    mistake: 'the route leads to the endpoint alone',
    fault: 'route-incomplete',
    says: /Of mcp\.example\.com: "\/sse", "\/\.well-known\//,
    text: change(
      '{ pattern = "mcp.example.com", custom_domain = true }',
      '{ pattern = "mcp.example.com/mcp*", zone_name = "example.com" }',
    ),
  },
  {
    mistake: 'a rate limiting binding has no class',
    fault: 'rate-limit-binding-invalid',
    says: /"MCP_LIMIT_SIGNIN" has no class "signin"/,
    text: add(limit('MCP_LIMIT_SIGNIN', 60, '1')),
  },
  {
    mistake: 'a rate limiting binding has another period than its class',
    fault: 'rate-limit-binding-invalid',
    says: /"MCP_LIMIT_TOKEN" has the period 10, and the class has 60 seconds/,
    text: add(limit('MCP_LIMIT_TOKEN', 10, '1')),
  },
  {
    mistake: 'two rate limiting bindings have one namespace',
    fault: 'rate-limit-binding-invalid',
    says: /"MCP_LIMIT_TOKEN" counts together with "MCP_LIMIT_NETWORK"/,
    text: add(limit('MCP_LIMIT_NETWORK', 60, '1') + limit('MCP_LIMIT_TOKEN', 60, '1')),
  },
  {
    mistake: 'an environment has no bindings',
    fault: 'environment-not-inherited',
    says: /In the environment production: Missing: "MCP_OBJECTS"/,
    text: add(`[env.production]\n${PRODUCTION_VARS}`),
  },
  {
    mistake: 'a secret is a variable at the top level',
    fault: 'secret-in-configuration',
    says: /vars has "EDGEWAY_PASSPHRASE"/,
    text: production(PRODUCTION_VARS).replace('[vars]', '[vars]\nEDGEWAY_PASSPHRASE = "one two"'),
  },
  {
    mistake: 'an environment has no origin',
    fault: 'environment-not-inherited',
    says: /In the environment production: Missing: "EDGEWAY_ORIGIN"/,
    text: production(''),
  },
  {
    mistake: 'an environment has no jurisdiction',
    fault: 'environment-not-inherited',
    says: /In the environment production: Missing: "EDGEWAY_JURISDICTION"/,
    text: production(PRODUCTION_VARS).replace('[vars]', '[vars]\nEDGEWAY_JURISDICTION = "eu"'),
  },
  {
    mistake: 'the bucket of an environment is in another jurisdiction than its objects',
    fault: 'jurisdictions-differ',
    says: /^In the environment production: the objects of "project": eu, EDGEWAY_JURISDICTION: eu, the bucket "MCP_FILES": none$/,
    text: production(
      `${PRODUCTION_VARS.replace('{', '{ EDGEWAY_JURISDICTION = "eu",')}\nr2_buckets = [{ binding = "MCP_FILES", bucket_name = "files" }]`,
    ),
  },
  {
    mistake: 'two environments have no flags',
    fault: 'request-signal-missing',
    says: /In the environment production, staging: compatibility_flags/,
    text: [
      production(`${PRODUCTION_VARS}\ncompatibility_flags = ["global_fetch_strictly_public"]`),
      `[env.staging]\ndurable_objects.bindings = [${ALL_BINDINGS}]\n${PRODUCTION_VARS}`,
      'compatibility_flags = ["global_fetch_strictly_public"]',
    ].join('\n'),
  },
]

/** Below, in `project.test.ts`, `features-configuration.test.ts` and `several-servers.test.ts`. */
const TESTED_ELSEWHERE: readonly FaultCode[] = [
  'async-hooks-missing',
  'object-binding-wrong-class',
  'object-class-lacks-server',
  'object-not-bound',
  'scope-without-authorization',
  'secret-checked-in',
  'secret-too-short',
  'servers-share-name',
  'worker-does-not-start',
  'worker-loader-missing',
  'worker-not-built',
  'worker-without-handler',
]

describe('the doctor on the configuration of a project', () => {
  it('finds nothing in a correct project', () => {
    expect(correct.failure).toBeUndefined()
    expect(faultsOf(correct)).toEqual([])
  })

  it('finds nothing where a second agent has a binding of its own, beside that of the first', async () => {
    const { worker } = correct
    if (worker === undefined) throw new Error('The main module was not loaded')
    const second = { name: 'Second', classes: ['Second'], isAgent: true }
    const text = change('[[migrations]]', `${binding('SECOND', 'Second')}[[migrations]]`).replace(
      'new_sqlite_classes = [',
      'new_sqlite_classes = ["Second", ',
    )
    const described = { ...worker, exports: [...worker.exports, second] }
    const found = await examineConfiguration(text, { worker: described })
    expect(found).toEqual([])
  })

  it('finds a main module without a handler, unless another class may be an entrypoint', () => {
    const { worker } = correct
    if (worker === undefined) throw new Error('The main module was not loaded')
    const codesFor = (more: readonly DescribedExport[]) =>
      faultsOf({
        ...correct,
        worker: { ...worker, hasHandler: false, exports: [...worker.exports, ...more] },
      }).map(({ code }) => code)
    expect(codesFor([])).toEqual(['worker-without-handler'])
    expect(codesFor([{ name: 'Api', classes: ['Api'], isAgent: false }])).toEqual([])
  })

  it('finds every fault of a configuration in some test', () => {
    const tested: readonly string[] = [
      ...[...MISTAKES, ...CONFIGURATIONS].map(({ fault }) => fault),
      ...TESTED_ELSEWHERE,
    ]
    const codes = Object.keys(FAULT_GROUPS['Configuration of a project'])
    expect(codes.filter((code) => !tested.includes(code))).toEqual([])
  })

  it.each(MISTAKES)('finds $fault alone when $mistake', async ({ fault, says, text }) => {
    const found = await examineConfiguration(text)
    expect(found.map(({ code }) => code)).toEqual([fault])
    expect(found[0]?.message).toMatch(says)
  })

  it.each([
    {
      when: 'an environment repeats what it does not inherit',
      text: production(PRODUCTION_VARS),
    },
    {
      when: 'an environment for development has no origin',
      text: production('').replace('env.production', 'env.dev'),
    },
    {
      when: 'an environment for development has its variable',
      text: production('vars = { EDGEWAY_ORIGIN = "development" }').replace(
        'env.production',
        'env.dev',
      ),
    },
    {
      when: 'the variables of the dashboard are kept',
      text: change('EDGEWAY_ORIGIN = "https://mcp.example.com"', '').replace(
        'main =',
        'keep_vars = true\nmain =',
      ),
    },
    {
      when: 'the bucket of files is in the jurisdiction of the objects, and another bucket is not',
      text: change('[vars]', '[vars]\nEDGEWAY_JURISDICTION = "us"').concat(
        '[[r2_buckets]]\nbinding = "MCP_FILES"\nbucket_name = "files"\njurisdiction = "us"\n',
        '[[r2_buckets]]\nbinding = "PHOTOS"\nbucket_name = "photos"\n',
      ),
    },
    {
      when: 'the bucket of files has a jurisdiction, and the variables of the dashboard are kept',
      text: add(
        '[[r2_buckets]]\nbinding = "MCP_FILES"\nbucket_name = "files"\njurisdiction = "eu"\n',
      ).replace('main =', 'keep_vars = true\nmain ='),
    },
    {
      when: 'two routes lead to all paths together',
      text: change(
        '{ pattern = "mcp.example.com", custom_domain = true }',
        '{ pattern = "*.example.com/mcp*", zone_name = "example.com" }, { pattern = "mcp.example.com/*", zone_name = "example.com" }',
      ),
    },
    {
      when: 'a class was renamed and is bound under its new name',
      text: change('"McpObjects"]', '"OldObjects"]').concat(
        '[[migrations]]\ntag = "v2"\nrenamed_classes = [{ from = "OldObjects", to = "McpObjects" }]',
      ),
    },
    {
      when: 'exports declare the classes in place of migrations',
      text: CONFIGURATION.slice(0, CONFIGURATION.indexOf('[[migrations]]')).concat(
        '[exports.McpObjects]\ntype = "durable-object"\nstorage = "sqlite"\n',
      ),
    },
    {
      when: 'each rate limiting binding agrees with its class',
      text: add(limit('MCP_LIMIT_SIGN_IN', 60, '1') + limit('MCP_LIMIT_TOKEN', 60, '2')),
    },
  ])('finds nothing when $when', async ({ text }) => {
    expect(await examineConfiguration(text)).toEqual([])
  })

  it('finds the binding of an agent without a key that seals, unless a local secret or a required one is known', async () => {
    const required = [{ feature: 'McpAgent', binding: 'MCP_OBJECT', className: 'Notes' }]
    const kinds = ['place', 'session', 'keyring', 'principals', 'redeemed']
    const agent = { name: 'Notes', classes: ['Notes', 'McpAgent'], isAgent: true }
    const app = { audience: 'MCP_OBJECT', paths: ['/mcp'], kinds, required, scoped: [] }
    const open = { worker: { flags: [], exports: [agent], apps: [app] } }
    const text = change(
      binding('MCP_OBJECTS', 'McpObjects'),
      binding('MCP_OBJECT', 'Notes'),
    ).replace('"McpObjects"', '"Notes"')
    const withoutKey = '"MCP_OBJECTS" with the class "McpObjects", or the secret "EDGEWAY_SECRET"'
    expect(await examineConfiguration(text, open)).toEqual([
      { code: 'object-binding-missing', message: withoutKey },
    ])
    examiner.project.write({ '.dev.vars': `EDGEWAY_SECRET="${'k'.repeat(32)}"` })
    const secretFiles = readSecretFiles(examiner.project.folder)
    expect(await examineConfiguration(text, { ...open, secretFiles })).toEqual([])
    const secret = `${text}\n[secrets]\nrequired = ["EDGEWAY_SECRET"]`
    expect(await examineConfiguration(secret, open)).toEqual([])
    examiner.project.write({ '.dev.vars': '' })
    const misnamed = secret.replace('"MCP_OBJECT"', '"NOTES"')
    expect(await examineConfiguration(misnamed, open)).toEqual([
      { code: 'object-binding-missing', message: '"MCP_OBJECT" with the class "Notes"' },
    ])
  })

  it.each([
    { file: '.dev.vars', text: 'EDGEWAY_SECRET=short', fault: 'secret-too-short' },
    { file: '.dev.vars', text: 'EDGEWAY_PASSPHRASE=correct horse', git: true },
    { file: '.env.production', text: `export EDGEWAY_SECRET='${'k'.repeat(32)}'`, git: true },
    { file: '.dev.vars', text: 'EDGEWAY_PASSPHRASE=correct horse', git: true, ignored: true },
    { file: '.dev.vars.example', text: 'EDGEWAY_PASSPHRASE=replace me', git: true },
    { file: '.env', text: 'EDGEWAY_SECRET=\nNAME=x # EDGEWAY_SECRET', git: true },
  ])('reads the secrets of $file: $text', async ({ file, text, fault, git, ignored }) => {
    const own = createProject({
      [file]: text,
      ...(ignored && { '.gitignore': '.dev.vars*' }),
    })
    if (git) initGit(own.folder)
    const secretFiles = readSecretFiles(own.folder)
    own.remove()
    const found = faultsOf({ ...correct, secretFiles }).map(({ code }) => code)
    const isShared = git && !ignored && !/example/.test(file) && file !== '.env'
    const expected = [...(fault ? [fault] : []), ...(isShared ? ['secret-checked-in'] : [])]
    expect(found).toEqual(expected)
  })
})
