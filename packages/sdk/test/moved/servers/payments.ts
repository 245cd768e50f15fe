/**
 * Follows @stripe/agent-toolkit 0.8.1 (SDK 1.x, zod 3): a subclass of `McpServer` that registers a list of
 * tools with `tool(name, description, shape, annotations, handler)`.
 */
import * as z from 'zod/v3'
import { McpServer } from '../../../src/index.ts'

interface Tool {
  method: string
  description: string
  parameters: z.ZodObject<z.ZodRawShape>
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean }
  execute: (api: Api, params: never) => Promise<unknown>
}

class Api {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }

  async run(method: string, params: object): Promise<string> {
    const tool = TOOLS.find((candidate) => candidate.method === method)
    if (tool === undefined) throw new Error(`Invalid method ${method}`)
    return JSON.stringify(await tool.execute(this, params as never))
  }
}

const TOOLS: Tool[] = [
  {
    method: 'create_customer',
    description: 'Creates a customer.',
    parameters: z.object({
      name: z.string().describe('The name of the customer.'),
      email: z.string().email().optional(),
    }),
    annotations: { destructiveHint: false, readOnlyHint: false },
    execute: async (api, { name }: { name: string }) => ({
      id: `cus_${name}`,
      key: api.key.length,
    }),
  },
  {
    method: 'list_invoices',
    description: 'Lists invoices.',
    parameters: z.object({
      customer: z.string().optional(),
      limit: z.number().int().min(1).max(100).default(10),
      status: z.union([z.literal('open'), z.literal('paid')]).optional(),
    }),
    annotations: { readOnlyHint: true },
    execute: async (_, { limit }: { limit: number }) =>
      Array.from({ length: limit }, (_, at) => at),
  },
  {
    method: 'refund',
    description: 'Refunds a payment.',
    parameters: z.object({ payment: z.string(), amount: z.number().positive().nullable() }),
    annotations: { destructiveHint: true },
    execute: async (_, { payment }: { payment: string }) => {
      throw new Error(`No such payment: ${payment}`)
    },
  },
]

export class PaymentsServer extends McpServer {
  private readonly api: Api

  constructor({ secretKey }: { secretKey: string }) {
    super({ name: 'Payments', version: '0.4.0', configuration: { mode: 'mcp' } })
    this.api = new Api(secretKey)
    for (const tool of TOOLS) {
      this.tool(
        tool.method,
        tool.description,
        tool.parameters.shape,
        tool.annotations,
        async (args, _extra) => {
          const result = await this.api.run(tool.method, args)
          return { content: [{ type: 'text' as const, text: String(result) }] }
        },
      )
    }
  }
}
