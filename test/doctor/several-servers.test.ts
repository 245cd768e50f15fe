/** `edgeway doctor --config` on projects whose Worker serves two servers. */
import { afterEach, describe, expect, it } from 'vitest'
import { faultsOf } from '../../cli/config/examine-project.ts'
import { observeProject } from '../../cli/config/observe-project.ts'
import { durableObjectsToml } from '../support/node/durable-objects-toml.ts'
import { CONFIGURATION, createProject, ofCheckout, type Project, replaced } from './project.ts'

let project: Project | undefined
afterEach(() => project?.remove())

const BINDINGS = durableObjectsToml(['McpKeyring', 'McpHub', 'McpSession', 'McpAccount'])

/** The bindings with those of the second server. */
const TWO = `${BINDINGS}
[[durable_objects.bindings]]
name = "DOCS_SESSION"
class_name = "DocsSession"

[[migrations]]
tag = "v2"
new_sqlite_classes = ["DocsSession"]
`

const SERVERS = `
import { changes } from 'edgeway/changes'
import { createEdgeway, McpServer } from 'edgeway'
import { embedded } from 'edgeway/auth'
import { sessions } from 'edgeway/sessions'
import { tasks } from 'edgeway/tasks'

const edgeway = createEdgeway(new McpServer({ name: 'project', version: '1.0.0' }), {
  auth: embedded({ scopes: { greet: 'Greet' } }),
  features: [sessions(), changes()],
})
const docs = createEdgeway(new McpServer({ name: 'docs', version: '1.0.0' }), {
  path: '/docs',
  features: [sessions({ binding: 'DOCS_SESSION', httpSse: false })],
})

export default edgeway
export class McpObjects extends edgeway.Objects {}
export class DocsSession extends docs.objects.McpSession {}
`

/** The faults of a project with two servers, whose main module and configuration are changed. */
async function examine(worker: string, bindings = TWO) {
  project = createProject({
    'worker.ts': ofCheckout(worker),
    'wrangler.toml': replaced(CONFIGURATION, BINDINGS, bindings),
  })
  const observed = await observeProject(project.folder)
  return faultsOf(observed).map(({ code, message }) => [code, message])
}

const without = (text: string, part: string, by = '') => replaced(text, part, by)

describe('the configuration of a Worker with two servers', () => {
  it('has no fault when each has a name and a binding of its own', async () => {
    expect(await examine(SERVERS)).toEqual([])
  })

  it('is a fault when both have the same session binding', async () => {
    const worker = without(SERVERS, "binding: 'DOCS_SESSION', ")
    const exported = 'export class DocsSession extends docs.objects.McpSession {}\n'
    expect(await examine(without(worker, exported), BINDINGS)).toEqual([
      [
        'servers-share-binding',
        '"project" (/mcp) and "docs" (/docs) have sessions({ binding: "MCP_SESSION" })',
      ],
    ])
  })

  it('is a fault when the binding of one has the class of the other', async () => {
    const worker = without(SERVERS, 'DocsSession extends docs', 'DocsSession extends edgeway')
    expect(await examine(worker)).toEqual([
      [
        'object-binding-wrong-class',
        'The binding "DOCS_SESSION" of "docs" (/docs) has the class "DocsSession" of "project" (/mcp)',
      ],
    ])
  })

  it('is a fault when both have the same name', async () => {
    expect(await examine(without(SERVERS, "name: 'docs'", "name: 'project'"))).toEqual([
      ['servers-share-name', '"project" (/mcp) and "project" (/docs)'],
    ])
  })

  it.each([
    ['announces no server', '({ server, ...app }) => listener?.(app)'],
    ['announces its server in another form', "(app) => listener?.({ ...app, server: 'v2:docs' })"],
  ])('is examined without comparing its servers when the package %s', async (_, announce) => {
    const worker = without(
      SERVERS,
      'const edgeway =',
      `const LISTENER = Symbol.for('edgeway.announce-app')
const { [LISTENER]: listener } = globalThis
globalThis[LISTENER] = ${announce}
const edgeway =`,
    )
    const misnamed = without(TWO, 'name = "DOCS_SESSION"', 'name = "OTHER_SESSION"')
    expect(await examine(worker)).toEqual([])
    expect(await examine(worker, misnamed)).toEqual([
      ['object-binding-misnamed', expect.stringContaining('DOCS_SESSION')],
    ])
  })

  /** The first server has a tool with a task. */
  const withTask = without(
    without(
      SERVERS,
      "const edgeway = createEdgeway(new McpServer({ name: 'project', version: '1.0.0' }), {",
      `const worker = new McpServer({ name: 'project', version: '1.0.0' })
worker.registerTool('work', { task: 'required' }, () => 'done')
const edgeway = createEdgeway(worker, {`,
    ),
    'features: [sessions(), changes()]',
    'features: [sessions(), changes(), tasks()]',
  ).concat('export class McpTask extends edgeway.objects.McpTask {}\n')
  const BINDINGS_WITH_TASK = TWO.replace('["DocsSession"]', '["DocsSession", "McpTask"]').replace(
    'name = "DOCS_SESSION"',
    'name = "MCP_TASK"\nclass_name = "McpTask"\n\n[[durable_objects.bindings]]\nname = "DOCS_SESSION"',
  )

  it('has no fault when one alone has tasks', async () => {
    expect(await examine(withTask, BINDINGS_WITH_TASK)).toEqual([])
  })

  it('has no fault when both have the same task binding, and one has no tool with a task', async () => {
    const worker = without(withTask, 'httpSse: false })]', 'httpSse: false }), tasks()]')
    expect(await examine(worker, BINDINGS_WITH_TASK)).toEqual([])
  })
})
