/** `edgeway doctor --config` on apps with and without a feature, by the bindings that the feature needs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WorkerDescription } from '../../cli/config/inspector.ts'
import { type ConfigurationExaminer, createExaminer } from './examine-configuration.ts'
import { CONFIGURATION } from './project.ts'

let examiner: ConfigurationExaminer

beforeAll(async () => {
  examiner = await createExaminer()
})

afterAll(() => examiner.project.remove())

/** The configuration without Durable Objects. */
const NO_OBJECTS = CONFIGURATION.slice(0, CONFIGURATION.indexOf('[[durable_objects.bindings]]'))

const RATE_LIMIT =
  '[[ratelimits]]\nname = "MCP_LIMIT_TOKEN"\nnamespace_id = "1"\nsimple = { limit = 5, period = 60 }\n'

/** The Worker of an app without authorization and features. */
function withoutFeatures(): WorkerDescription {
  const [app] = examiner.correct.worker?.apps ?? []
  if (app === undefined) throw new Error('The correct project has no app')
  const { server, tools = [] } = app
  return {
    flags: [],
    exports: [],
    apps: [{ server, tools, paths: ['/mcp'], classes: [], scoped: [] }],
  }
}

const REQUIRED = [{ feature: 'audit', binding: 'AUDIT_LOG', classes: ['AuditLog'] }]

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
    const worker = withoutFeatures()
    const apps = worker.apps.map((app) => ({ ...app, classes: ['McpKeyring'] }))
    expect(await examiner.examine(NO_OBJECTS, { worker: { ...worker, apps } })).toEqual([])
  })

  it('finds nothing when a feature of the author has a class under a binding of its own', async () => {
    const { apps } = withoutFeatures()
    const worker: WorkerDescription = {
      flags: [],
      exports: [{ name: 'AuditLog', objectClass: 'AuditLog', isAgent: false }],
      apps: apps.map((app) => ({ ...app, classes: ['AuditLog'] })),
    }
    const text = `${NO_OBJECTS}[[durable_objects.bindings]]
name = "AUDIT"
class_name = "AuditLog"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["AuditLog"]
`
    expect(await examiner.examine(text, { worker })).toEqual([])
  })

  it.each([
    { when: 'nothing is bound', text: '', found: ['object-binding-missing'] },
    { when: 'it has another name', text: bound('AUDIT'), found: ['object-binding-misnamed'] },
    {
      when: 'its class is not exported',
      text: bound('AUDIT_LOG', 'Log'),
      found: ['object-not-exported'],
    },
    { when: 'it is bound', text: bound('AUDIT_LOG'), found: [] },
    {
      when: 'only one of two is bound',
      text: bound('AUDIT_LOG'),
      required: [...REQUIRED, { feature: 'audit', binding: 'AUDIT_FILES', classes: ['AuditLog'] }],
      found: ['object-binding-missing'],
    },
    {
      when: 'one of two is a bucket',
      text: `${bound('AUDIT_LOG')}[[r2_buckets]]\nbinding = "AUDIT_FILES"\nbucket_name = "files"\n`,
      required: [...REQUIRED, { feature: 'audit', binding: 'AUDIT_FILES', classes: ['AuditLog'] }],
      found: [],
    },
  ])('finds $found for the binding of a feature of the author when $when', async (given) => {
    const { text, found, required = REQUIRED } = given
    const { apps } = withoutFeatures()
    const worker: WorkerDescription = {
      flags: [],
      exports: [{ name: 'AuditLog', objectClass: 'AuditLog', isAgent: false }],
      apps: apps.map((app) => ({ ...app, classes: ['AuditLog'], required })),
    }
    const faults = await examiner.examine(NO_OBJECTS + text, { worker })
    expect(faults.map(({ code }) => code)).toEqual(found)
  })

  it.each([
    { when: 'a tool has task', task: true, faults: ['object-binding-missing'] },
    { when: 'no tool has task', task: false, faults: [] },
  ])('finds $faults when tasks() has no binding and $when', async ({ task, faults }) => {
    const [app] = examiner.correct.worker?.apps ?? []
    const tools = app?.tools?.map((tool) => ({ ...tool, task })) ?? []
    const worker = {
      flags: [],
      exports: examiner.correct.worker?.exports ?? [],
      apps: app ? [{ ...app, tools, classes: [...app.classes, 'McpTask'] }] : [],
    }
    const found = await examiner.examine(CONFIGURATION, { worker })
    expect(found.map(({ code }) => code)).toEqual(faults)
  })

  it('finds state() without a binding, and its tool with files', async () => {
    const [app] = examiner.correct.worker?.apps ?? []
    const withState = (files: boolean) => ({
      flags: [],
      exports: examiner.correct.worker?.exports ?? [],
      apps: app
        ? [
            {
              ...app,
              tools: app.tools?.map((tool) => ({ ...tool, files })) ?? [],
              classes: [...app.classes, 'McpState'],
            },
          ]
        : [],
    })
    const message = '"MCP_STATE" with the class "McpState"'
    expect(await examiner.examine(CONFIGURATION, { worker: withState(false) })).toEqual([
      { code: 'object-not-bound', message },
    ])
    expect(await examiner.examine(CONFIGURATION, { worker: withState(true) })).toEqual([
      { code: 'object-binding-missing', message },
    ])
  })

  describe('on an app with events() and without authorization', () => {
    const withEvents = (eventBinding: string): WorkerDescription => {
      const worker = withoutFeatures()
      const apps = worker.apps.map((app) => ({ ...app, classes: ['McpEvents'], eventBinding }))
      return { ...worker, apps }
    }
    const events = (binding: string) =>
      `${NO_OBJECTS}[[durable_objects.bindings]]\nname = "${binding}"\nclass_name = "McpEvents"\n[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["McpEvents"]\n`
    const exports = [{ name: 'McpEvents', objectClass: 'McpEvents', isAgent: false }]
    const secrets = '[secrets]\nrequired = ["EDGEWAY_SECRET"]\n'

    it.each(['MCP_EVENTS', 'NOTE_EVENTS'])('finds nothing when %s is bound', async (binding) => {
      const worker = { ...withEvents(binding), exports }
      expect(await examiner.examine(events(binding) + secrets, { worker })).toEqual([])
    })

    it.each(['MCP_EVENTS', 'NOTE_EVENTS'])('finds the missing binding %s', async (binding) => {
      expect(await examiner.examine(NO_OBJECTS, { worker: withEvents(binding) })).toEqual([
        { code: 'object-binding-missing', message: `"${binding}" with the class "McpEvents"` },
      ])
    })

    it('finds that callbacks can reach hosts of the zone without global_fetch_strictly_public', async () => {
      const text = events('MCP_EVENTS').replace(', "global_fetch_strictly_public"', '') + secrets
      const worker = { ...withEvents('MCP_EVENTS'), exports }
      expect(await examiner.examine(text, { worker })).toEqual([
        {
          code: 'public-fetch-missing',
          message: 'compatibility_flags is ["enable_request_signal"]',
        },
      ])
    })
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

  describe('on a class that a migration has created and whose feature was removed', () => {
    const withTask = (more: string) =>
      `${CONFIGURATION}\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["McpTask"]\n${more}`
    const exported = (isUnused: boolean): WorkerDescription => {
      const worker = examiner.correct.worker
      if (worker === undefined) throw new Error('The correct project has no Worker')
      const unused = { name: 'McpTask', isUnused: true, isAgent: false }
      return { ...worker, exports: [...worker.exports, ...(isUnused ? [unused] : [])] }
    }

    it('finds the missing export, and names the feature', async () => {
      expect(await examiner.examine(withTask(''), { worker: exported(false) })).toEqual([
        {
          code: 'migration-class-not-exported',
          message: 'The class "McpTask"; it needs features: [tasks()], which the app does not have',
        },
      ])
    })

    it('finds nothing when UnusedObject is exported under its name, with its binding or without', async () => {
      const binding = '[[durable_objects.bindings]]\nname = "MCP_TASK"\nclass_name = "McpTask"\n'
      for (const more of ['', binding]) {
        const found = await examiner.examine(withTask(more), { worker: exported(true) })
        expect(found).toEqual([])
      }
    })

    it('finds nothing when a later migration deletes the class', async () => {
      const deleted = '[[migrations]]\ntag = "v3"\ndeleted_classes = ["McpTask"]\n'
      expect(await examiner.examine(withTask(deleted), { worker: exported(false) })).toEqual([])
    })

    it('finds the wrong class when the app has the feature and exports UnusedObject', async () => {
      const worker = exported(true)
      const apps = worker.apps.map((app) => ({ ...app, classes: [...app.classes, 'McpTask'] }))
      const binding = '[[durable_objects.bindings]]\nname = "MCP_TASK"\nclass_name = "McpTask"\n'
      const found = await examiner.examine(withTask(binding), { worker: { ...worker, apps } })
      expect(found.map(({ code }) => code)).toEqual(['object-binding-wrong-class'])
    })
  })
})
