/** The prompts of the server. */
import * as z from 'zod'
import { completable, type McpServer } from '../../../../src/index.ts'
import { blobResource, completeId, KINDS, textResource, uriOf } from './resources.ts'

const kindArgument = completable(z.string().describe('Type of resource'), (value: string) =>
  KINDS.filter((kind) => kind.startsWith(value)),
)

export function registerPrompts(server: McpServer) {
  const say = (text: string) => ({
    role: 'user' as const,
    content: { type: 'text' as const, text },
  })
  server.registerPrompt('simple-prompt', { title: 'Simple', description: 'No arguments' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Simple.' } }],
  }))
  server.registerPrompt(
    'args-prompt',
    {
      title: 'Arguments',
      argsSchema: { city: z.string().describe('City'), state: z.string().optional() },
    },
    (args) => ({ messages: [say(`${args?.city}${args?.state ? `, ${args?.state}` : ''}?`)] }),
  )
  server.registerPrompt(
    'completable-prompt',
    {
      argsSchema: {
        department: completable(z.string().describe('Department'), (value) =>
          ['Engineering', 'Sales'].filter((name) => name.startsWith(value)),
        ),
        name: completable(z.string(), (value, context) => {
          const department = context?.arguments?.department
          return department === 'Sales' ? ['David'].filter((name) => name.startsWith(value)) : []
        }),
      },
    },
    ({ department, name }) => ({ messages: [say(`${name} of ${department}`)] }),
  )
  server.registerPrompt(
    'resource-prompt',
    { argsSchema: { kind: kindArgument, id: completable(z.string(), completeId) } },
    (args) => {
      const { kind, id } = args
      if (!KINDS.includes(kind)) throw new Error(`Invalid kind: ${args?.kind}.`)
      const uri = uriOf(kind, Number(id))
      const resource =
        kind === 'Text' ? textResource(uri, Number(id)) : blobResource(uri, Number(id))
      return {
        messages: [
          say(`Look at ${kind} ${id}`),
          { role: 'user', content: { type: 'resource', resource: resource } },
        ],
      }
    },
  )
}
