/** `edgeway doctor --config` on a correct project whose configuration has one mistake at a time. */
import { beforeAll, describe, expect, it } from 'vitest'
import { FAULT_GROUPS, type FaultCode } from '../../faults/src/faults.ts'
import { faultsOf } from '../src/config/examine-project.ts'
import type { DescribedExport } from '../src/config/inspector.ts'
import type { ProjectObservations } from '../src/config/project-observations.ts'
import { type ConfigurationExaminer, createExaminer } from './examine-configuration.ts'
import {
  add,
  assets,
  binding,
  bucket,
  CONFIGURATIONS,
  change,
  limit,
  MODULES,
  ORIGIN,
  PRODUCTION_VARS,
  production,
  ROUTE,
  variable,
} from './planted-projects.ts'
import { CONFIGURATION, type Files } from './project.ts'

let examiner: ConfigurationExaminer
let correct: ProjectObservations

beforeAll(async () => {
  examiner = await createExaminer()
  correct = examiner.correct
})

const withoutHandling = (line: string): Files => ({
  'wrangler.toml': add(`[assets]\ndirectory = "public"\n${line}\n`),
  'public/index.html': '<h1>App</h1>',
})

/** Configurations without a fault. */
const CORRECT: Readonly<Record<string, string | Files>> = {
  'an environment repeats what it does not inherit': production(PRODUCTION_VARS),
  'an environment for development has no origin': change(
    'env.production',
    'env.dev',
    production(''),
  ),
  'an environment for development has its variable': change(
    'env.production',
    'env.dev',
    production('vars = { EDGEWAY_ORIGIN = "development" }'),
  ),
  'the variables of the dashboard are kept': change(
    'main =',
    'keep_vars = true\nmain =',
    change(`EDGEWAY_ORIGIN = ${ORIGIN}`, ''),
  ),
  'the bucket of files is in the jurisdiction of the objects, and another bucket is not':
    variable('EDGEWAY_JURISDICTION = "us"') +
    bucket('jurisdiction = "us"') +
    '[[r2_buckets]]\nbinding = "PHOTOS"\nbucket_name = "photos"\n',
  'the bucket of files has a jurisdiction, and the variables of the dashboard are kept': change(
    'main =',
    'keep_vars = true\nmain =',
    add(bucket('jurisdiction = "eu"')),
  ),
  'two routes lead to all paths together': change(
    ROUTE,
    '{ pattern = "*.example.com/mcp*", zone_name = "example.com" }, { pattern = "mcp.example.com/*", zone_name = "example.com" }',
  ),
  'a class was renamed and is bound under its new name': `${change('"McpObjects"]', '"OldObjects"]')}[[migrations]]\ntag = "v2"\nrenamed_classes = [{ from = "OldObjects", to = "McpObjects" }]`,
  'exports declare the classes in place of migrations': CONFIGURATION.slice(
    0,
    CONFIGURATION.indexOf('[[migrations]]'),
  ).concat('[exports.McpObjects]\ntype = "durable-object"\nstorage = "sqlite"\n'),
  'each rate limiting binding agrees with its class': add(
    limit('MCP_LIMIT_SIGN_IN', 60, '1') + limit('MCP_LIMIT_TOKEN', 60, '2'),
  ),
  'static assets answer navigations to other paths than those of pages': assets(
    'run_worker_first = ["/authorize*", "/account*", "/login", "/logout"]',
  ),
  'the Worker comes before all static assets': assets('run_worker_first = true'),
  'the Worker comes before most static assets': assets('run_worker_first = ["/*", "!/assets/*"]'),
  'static assets answer no navigation': withoutHandling('not_found_handling = "none"'),
}

/** Below, in `project.test.ts`, `features-configuration.test.ts` and `several-servers.test.ts`. */
const TESTED_ELSEWHERE: readonly FaultCode[] = [
  'object-class-lacks-server',
  'scope-without-authorization',
  'servers-share-name',
  'worker-loader-missing',
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
    const found = await examiner.examine(text, { worker: described })
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
      ...[...CONFIGURATIONS, ...MODULES].map(({ fault }) => fault),
      ...TESTED_ELSEWHERE,
    ]
    const codes = Object.keys(FAULT_GROUPS['Configuration of a project'])
    expect(codes.filter((code) => !tested.includes(code))).toEqual([])
  })

  it.each(CONFIGURATIONS)('finds $fault alone when $when', async (row) => {
    const { fault, files, says = /./, isRepository } = row
    const found = await examiner.examine(files, {}, isRepository)
    expect(found.map(({ code }) => code)).toEqual([fault])
    expect(found[0]?.message).toMatch(says)
  })

  it.each(Object.entries(CORRECT))('finds nothing when %s', async (_, files) => {
    expect(await examiner.examine(files)).toEqual([])
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
    expect(await examiner.examine(text, open)).toEqual([
      { code: 'object-binding-missing', message: withoutKey },
    ])
    const key = { 'wrangler.toml': text, '.dev.vars': `EDGEWAY_SECRET="${'k'.repeat(32)}"` }
    expect(await examiner.examine(key, open)).toEqual([])
    const secret = `${text}\n[secrets]\nrequired = ["EDGEWAY_SECRET"]`
    expect(await examiner.examine(secret, open)).toEqual([])
    const misnamed = secret.replace('"MCP_OBJECT"', '"NOTES"')
    expect(await examiner.examine(misnamed, open)).toEqual([
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
    const files = { [file]: text, ...(ignored && { '.gitignore': '.dev.vars*' }) }
    const found = (await examiner.examine(files, {}, git)).map(({ code }) => code)
    const isShared = git && !ignored && !/example/.test(file) && file !== '.env'
    const expected = [...(fault ? [fault] : []), ...(isShared ? ['secret-checked-in'] : [])]
    expect(found).toEqual(expected)
  })
})
