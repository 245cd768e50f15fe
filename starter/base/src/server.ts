/** The definition of the server: its name and its tools. */
import { asks, createServer } from 'edgeway'
import { registerTools } from './tools.ts'

export const server = createServer({
  name: 'edgeway-starter',
  version: '1.0.0',
  description: 'Rolls a die and books a table.',
  // What handlers find in `ctx` besides. Add one, such as `state()`, as a further value.
  uses: [asks()],
})

export type Server = typeof server

registerTools(server)
