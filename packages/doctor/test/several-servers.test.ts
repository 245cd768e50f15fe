/** `edgeway doctor --config` on projects whose Worker serves two servers. */
import { afterEach, describe, expect, it } from 'vitest'
import { ofCheckout } from '../../../test/support/node/entries.ts'
import { faultsOf } from '../src/config/examine-project.ts'
import { observeProject } from '../src/config/observe-project.ts'
import { createProject, type Project, replaced } from './project.ts'

let project: Project | undefined
afterEach(() => project?.remove())

const SERVERS = `
import { changes } from 'edgeway/changes'
import { createEdgeway, McpServer, objectsOf } from 'edgeway'
import { embedded } from 'edgeway/auth'
import { sessions } from 'edgeway/sessions'

const edgeway = createEdgeway(new McpServer({ name: 'project', version: '1.0.0' }), {
  auth: embedded({ scopes: { greet: 'Greet' } }),
  features: [sessions(), changes()],
})
const docs = createEdgeway(new McpServer({ name: 'docs', version: '1.0.0' }), {
  path: '/docs',
  features: [sessions({ httpSse: false })],
})

export default edgeway
export class McpObjects extends objectsOf(edgeway, docs) {}
`

/** The faults of a project with two servers, whose main module is changed. */
async function examine(worker: string) {
  project = createProject({ 'worker.ts': ofCheckout(worker) })
  const observed = await observeProject(project.folder)
  return faultsOf(observed).map(({ code, message }) => [code, message])
}

const ofOne = replaced(SERVERS, 'objectsOf(edgeway, docs)', 'edgeway.Objects')
const SHARED_NAME = ['servers-share-name', '"project" (/mcp) and "project" (/docs)']

describe('the configuration of a Worker with two servers', () => {
  it('has no fault when the class has the objects of both', async () => {
    expect(await examine(SERVERS)).toEqual([])
  })

  it('is a fault when the class has the objects of one alone', async () => {
    expect(await examine(ofOne)).toEqual([
      [
        'object-class-lacks-server',
        'The class "McpObjects" has the objects of "project", and lacks those of "docs"',
      ],
    ])
  })

  it.each([
    ['no objects', ''],
    ['objects that the first one has too', 'features: [changes()],'],
  ])('has no fault when the class lacks a server with %s', async (_, features) => {
    const worker = replaced(ofOne, 'features: [sessions({ httpSse: false })],', features)
    expect(await examine(worker)).toEqual([])
  })

  it('is a fault when the class lacks a server with objects that it shares with no other', async () => {
    const worker = replaced(
      ofOne,
      'features: [sessions({ httpSse: false })],',
      'features: [state()],',
    )
    const found = await examine(`import { state } from 'edgeway/state'\n${worker}`)
    expect(found.map(([code]) => code)).toEqual(['object-class-lacks-server'])
  })

  it('is a fault when both have the same name', async () => {
    expect(await examine(replaced(ofOne, "name: 'docs'", "name: 'project'"))).toEqual([SHARED_NAME])
  })

  it('is a fault when both have the same name and the same pages of sign-in', async () => {
    const auth = "auth: embedded({ scopes: { greet: 'Greet' } }),\n  features: [sessions({ httpSse"
    const named = replaced(ofOne, "name: 'docs'", "name: 'project'")
    const worker = replaced(named, 'features: [sessions({ httpSse', auth)
    expect(await examine(worker)).toEqual([SHARED_NAME])
  })

  it('does not start when the class is that of two servers with one name', async () => {
    expect(await examine(replaced(SERVERS, "name: 'docs'", "name: 'project'"))).toEqual([
      ['worker-does-not-start', expect.stringContaining('Two servers have the audience "project"')],
    ])
  })

  it('has no fault when the main module creates a server twice', async () => {
    const again = `createEdgeway(new McpServer({ name: 'docs', version: '1.0.0' }), { path: '/docs', features: [sessions()] })`
    expect(await examine(`${SERVERS}${again}\n`)).toEqual([])
  })
})
