/** Servers that are connected to a transport, which Edgeway replaces by its entry. */
import type { NodePath } from '@babel/traverse'
import { firstOf } from '../../../text/src/quoted.ts'
import { type Decision, guide } from '../plan.ts'
import { originOf, placeOfNode, type SourceFile, TEST_FILE, visit } from '../source-file.ts'
import { connectionsOf } from './connections.ts'

const IN_TEST =
  'A server is not connected to a transport: connect() of edgeway/testing calls it in a test'
const IN_MEMORY = 'A server is not connected to a transport: call what its tools call directly'
const IN_ENTRY =
  'A server is not connected to a transport: remove the call and what serves it, and export createEdgeway(server) as the entry of a Worker'
const BESIDE =
  'The program serves over a transport of the SDK and is no part of the Worker, so it and what it alone imports stay with the SDK: keep it, or delete it'

const IN_AGENT =
  'An agent with a transport of its own becomes an McpAgent, which has sessions and their state: extend McpAgent of edgeway/agents, rename onStart() to init(), and serve the class with serve()'

export function transportDecisions(file: SourceFile): readonly Decision[] {
  return [...agentTransports(file), ...connections(file)]
}

/** `WorkerTransport` in a class that extends `Agent` of the Agents SDK. */
function agentTransports(file: SourceFile): readonly Decision[] {
  const decisions: Decision[] = []
  visit(file, {
    NewExpression(path) {
      if (originOf(path.get('callee') as NodePath)?.name !== 'WorkerTransport') return
      const owner = path.findParent((parent) => parent.isClass())
      const base = originOf(owner?.get('superClass') as NodePath | undefined)
      if (base?.name !== 'Agent' || base.module !== 'agents') return
      const place = placeOfNode(file, path.node)
      const anchor = guide.moving('an-agent-with-a-transport')
      decisions.push({ ...place, code: 'transport', why: IN_AGENT, guide: anchor })
    },
  })
  return decisions
}

function connections(file: SourceFile): readonly Decision[] {
  return connectionsOf(file).map(({ node, transport }): Decision => {
    const isTest = transport === 'memory' && TEST_FILE.test(file.path)
    const why = isTest ? IN_TEST : transport === 'memory' ? IN_MEMORY : IN_ENTRY
    const anchor = isTest ? guide.testing : guide.moving('the-entry')
    return { ...placeOfNode(file, node), code: 'connects-transport', why, guide: anchor }
  })
}

/** Whether a file connects a server to a transport that goes. */
export const servesTransport = (file: SourceFile): boolean =>
  connectionsOf(file).some(({ transport }) => transport === 'server')

/**
 * The decision about a program beside the Worker.
 *
 * @param moved files or packages that it imports, and whose servers have moved
 */
export function programDecision(file: SourceFile, moved: readonly string[]): readonly Decision[] {
  const [first] = connectionsOf(file).filter(({ transport }) => transport === 'server')
  if (first === undefined) return []
  const shared = `The program connects a server to a transport, which throws for the server of ${firstOf(moved)} that has moved: delete the program, which the Worker replaces, or let it import a copy that stays with the SDK`
  const why = moved.length > 0 ? shared : BESIDE
  const place = placeOfNode(file, first.node)
  return [{ ...place, code: 'connects-transport', why, guide: guide.moving('the-entry') }]
}
