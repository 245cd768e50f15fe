/** The server of `authorized.ts`, whose tool takes the token of an account of the person. */
import { apiKey, embedded } from '../../../../src/auth/index.ts'
import { connections } from '../../../../src/features/connections/index.ts'
import { rateLimits } from '../../../../src/features/rate-limits/index.ts'
import { createEdgeway, createServer } from '../../../../src/index.ts'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

const verify = () => ({ subject: 'ada', name: 'Ada' })
const crm = apiKey({ verify, origins: ['https://crm.example.com'] })

const { name, title, description, inputSchema } = echo
const annotations = { readOnlyHint: true }

const server = createServer({ ...SERVER_INFO, uses: [connections({ crm })] }).registerTool(
  name,
  { title, description, inputSchema, annotations },
  async ({ text }, ctx) => {
    const { token } = await ctx.connect('crm')
    return (await token()) === 'key' ? String(text) : 'no token'
  },
)

const edgeway = createEdgeway(server, {
  features: [rateLimits({ classes: { principal: { limit: 1_000_000_000 } } })],
  auth: embedded({ scopes: { read: 'Read' } }),
})

export default edgeway
export class McpObjects extends edgeway.Objects {}
