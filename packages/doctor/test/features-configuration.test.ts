/** `edgeway doctor --config` on apps with and without a feature, by the bindings that the feature needs. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { WorkerDescription } from '../src/config/inspector.ts'
import { type ConfigurationExaminer, createExaminer } from './examine-configuration.ts'
import { CONFIGURATION } from './project.ts'

let examiner: ConfigurationExaminer

beforeAll(async () => {
  examiner = await createExaminer()
})

/** The configuration without Durable Objects. */
const NO_OBJECTS = CONFIGURATION.slice(0, CONFIGURATION.indexOf('[[durable_objects.bindings]]'))

const RATE_LIMIT =
  '[[ratelimits]]\nname = "MCP_LIMIT_TOKEN"\nnamespace_id = "1"\nsimple = { limit = 5, period = 60 }\n'

/** The Worker of an app without authorization and features. */
function withoutFeatures(): WorkerDescription {
  const [app] = examiner.correct.worker?.apps ?? []
  if (app === undefined) throw new Error('The correct project has no app')
  const { audience, tools = [] } = app
  return {
    flags: [],
    exports: [],
    apps: [{ audience, tools, paths: ['/mcp'], kinds: ['place'], required: [], scoped: [] }],
  }
}

const REQUIRED = [{ feature: 'audit', binding: 'AUDIT_LOG', className: 'AuditLog' }]
const INDEX = { feature: 'audit', binding: 'AUDIT_INDEX', className: 'AuditLog' }
const AUDIT_LOG = { name: 'AuditLog', classes: ['AuditLog', 'DurableObject'], isAgent: false }

/** The correct Worker with more kinds of objects, without authorization. */
function withKinds(kinds: readonly string[], flags: { task?: boolean; files?: boolean } = {}) {
  const { exports = [], apps: [app] = [] } = examiner.correct.worker ?? {}
  if (app === undefined) throw new Error('The correct project has no app')
  const { auth: _, ...open } = app
  const tools = app.tools?.map((tool) => ({ ...tool, ...flags })) ?? []
  const apps = [{ ...open, tools, scoped: [], kinds: ['place', ...kinds] }]
  return { worker: { flags: [], exports, apps } }
}

const BINDING = '[[durable_objects.bindings]]\nname = "MCP_OBJECTS"\nclass_name = "McpObjects"\n'
const UNBOUND = CONFIGURATION.replace(BINDING, '')

const bound = (name: string, className = 'AuditLog') => `[[durable_objects.bindings]]
name = "${name}"
class_name = "${className}"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["${className}"]
`

describe('the doctor on the features of an app', () => {
  it('finds nothing when an app without features has no binding', async () => {
    expect(await examiner.examine(NO_OBJECTS, { worker: withoutFeatures() })).toEqual([])
  })

  it('finds a rate limiting binding of an app without rateLimits()', async () => {
    const found = await examiner.examine(NO_OBJECTS + RATE_LIMIT, {
      worker: withoutFeatures(),
    })
    expect(found).toEqual([
      {
        code: 'rate-limit-binding-invalid',
        message: '"MCP_LIMIT_TOKEN" is for features: [rateLimits()], which the app does not have',
      },
    ])
  })

  it.each([
    { when: 'it is not bound', text: '', found: ['worker-loader-missing'] },
    { when: 'another one is bound', text: 'OTHER', found: ['worker-loader-missing'] },
    { when: 'it is bound', text: 'LOADER', found: [] },
  ])('finds $found for the Worker loader of code() when $when', async ({ text, found }) => {
    const worker = withoutFeatures()
    const apps = worker.apps.map((app) => ({ ...app, codeBinding: 'LOADER' }))
    const loaders = text === '' ? '' : `[[worker_loaders]]\nbinding = "${text}"\n`
    const faults = await examiner.examine(NO_OBJECTS + loaders, { worker: { ...worker, apps } })
    expect(faults.map(({ code }) => code)).toEqual(found)
    expect(faults.map(({ message }) => message)).toEqual(found.map(() => '"LOADER"'))
  })

  it('finds no keyring to be missing when it is not exported and nothing but asks() uses it', async () => {
    const kinds = ['place', 'keyring', 'principals', 'redeemed']
    const worker = withoutFeatures()
    const apps = worker.apps.map((app) => ({ ...app, kinds }))
    expect(await examiner.examine(NO_OBJECTS, { worker: { ...worker, apps } })).toEqual([])
    const found = await examiner.examine(UNBOUND, withKinds(kinds))
    expect(found.map(({ code }) => code)).toEqual(['object-not-bound'])
  })

  it.each<[when: string, text: string, found: string[], more?: typeof REQUIRED]>([
    ['nothing is bound', '', ['object-binding-missing']],
    ['it has another name', bound('AUDIT'), ['object-binding-missing']],
    ['its class is not exported', bound('AUDIT_LOG', 'Log'), ['object-not-exported']],
    ['it has another class', bound('AUDIT_LOG', 'Other'), ['object-binding-wrong-class']],
    ['its class is exported under another name', bound('AUDIT_LOG', 'Renamed'), []],
    ['it is bound', bound('AUDIT_LOG'), []],
    ['only one of two is bound', bound('AUDIT_LOG'), ['object-binding-missing'], [INDEX]],
  ])('judges the binding of a feature of the author when %s', async (_, text, found, more = []) => {
    const required = [...REQUIRED, ...more]
    const { apps } = withoutFeatures()
    const worker: WorkerDescription = {
      flags: [],
      exports: [
        AUDIT_LOG,
        { ...AUDIT_LOG, name: 'Renamed' },
        { name: 'Other', classes: ['Other'], isAgent: false },
      ],
      apps: apps.map((app) => ({ ...app, required })),
    }
    const faults = await examiner.examine(NO_OBJECTS + text, { worker })
    expect(faults.map(({ code }) => code)).toEqual(found)
  })

  it.each([
    { kinds: ['hub'], found: ['object-not-bound'] },
    { kinds: ['session', 'keyring'], found: ['object-not-bound'] },
    { kinds: ['account'], found: ['object-binding-missing'] },
    { kinds: ['log', 'subscriber'], found: ['object-binding-missing'] },
    { kinds: ['task'], found: [] },
    { kinds: ['task'], flags: { task: true }, found: ['object-binding-missing'] },
    { kinds: ['state'], found: ['object-not-bound'] },
    { kinds: ['state'], flags: { files: true }, found: ['object-binding-missing'] },
  ])(
    'finds $found when the objects $kinds have no binding, with tools that have $flags',
    async (given) => {
      const { kinds, flags, found } = given
      const faults = await examiner.examine(UNBOUND, withKinds(kinds, flags))
      expect(faults.map(({ code }) => code)).toEqual(found)
      const message = '"MCP_OBJECTS" with the class "McpObjects"'
      expect(faults.map((fault) => fault.message)).toEqual(found.map(() => message))
      expect(await examiner.examine(CONFIGURATION, withKinds(kinds, flags))).toEqual([])
    },
  )

  it('finds nothing when the class is bound and no feature has objects', async () => {
    expect(await examiner.examine(CONFIGURATION, withKinds([]))).toEqual([])
  })

  it.each([
    { kinds: ['place', 'hub'], found: ['jurisdictions-differ'], when: 'both have objects' },
    { kinds: ['place'], found: [], when: 'the other one has no objects' },
  ])(
    'finds $found when one of two servers has the option jurisdiction and $when',
    async (given) => {
      const { kinds, found } = given
      const { worker } = withKinds(['hub'])
      const apps = worker.apps.flatMap((app) => [
        { ...app, jurisdiction: 'eu' },
        { ...app, audience: 'docs', paths: ['/docs'], kinds },
      ])
      const exports = worker.exports.map((each) => ({ ...each, audiences: ['project', 'docs'] }))
      const faults = await examiner.examine(CONFIGURATION, { worker: { ...worker, apps, exports } })
      expect(faults.map(({ code }) => code)).toEqual(found)
    },
  )

  it('finds that callbacks of events() can reach hosts of the zone without global_fetch_strictly_public', async () => {
    const text = CONFIGURATION.replace(', "global_fetch_strictly_public"', '')
    expect(await examiner.examine(text, withKinds(['log', 'subscriber']))).toEqual([
      { code: 'public-fetch-missing', message: 'compatibility_flags is ["enable_request_signal"]' },
    ])
  })

  it('finds that downloads can reach hosts of the zone when a tool takes files without global_fetch_strictly_public', async () => {
    const worker = withoutFeatures()
    const take = {
      name: 'take',
      inputSchema: { type: 'object' },
      _meta: { 'openai/fileParams': ['data'] },
    }
    const none = { prompts: [], resources: [], resourceTemplates: [], events: [], unlisted: [] }
    const info = { name: 'files', version: '1.0.0' }
    const surface = { info, instructions: undefined, tools: [take], ...none }
    const apps = worker.apps.map((app) => ({ ...app, surface }))
    const text = NO_OBJECTS.replace(', "global_fetch_strictly_public"', '')
    const found = await examiner.examine(text, { worker: { ...worker, apps } })
    expect(found.map(({ code }) => code)).toEqual(['public-fetch-missing'])
  })

  describe('on a class that a migration has created and that the main module does not export', () => {
    const created = `${CONFIGURATION}\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Notes"]\n`

    it('finds the missing export', async () => {
      expect(await examiner.examine(created)).toEqual([
        { code: 'migration-class-not-exported', message: 'The class "Notes"' },
      ])
    })

    it('finds nothing when a later migration deletes the class', async () => {
      const deleted = '[[migrations]]\ntag = "v3"\ndeleted_classes = ["Notes"]\n'
      expect(await examiner.examine(created + deleted)).toEqual([])
    })
  })

  it('finds nothing when the author exports a class of their own for a binding that the former form used', async () => {
    const { worker } = examiner.correct
    if (worker === undefined) throw new Error('The correct project has no Worker')
    const exports = [...worker.exports, { name: 'Log', classes: ['Log'], isAgent: false }]
    const text = CONFIGURATION.replace(BINDING, `${BINDING}${BINDING}`)
      .replace('name = "MCP_OBJECTS"', 'name = "MCP_LOG"')
      .replace('class_name = "McpObjects"', 'class_name = "Log"')
      .replace('["McpObjects"]', '["McpObjects", "Log"]')
    expect(await examiner.examine(text, { worker: { ...worker, exports } })).toEqual([])
  })
})
