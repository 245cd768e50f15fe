/**
 * A view with a form, and with the progress of a long task: the person chooses the months of a report, and sees how far it
 * is. Needs the bindings of `wrangler.toml` in this folder.
 *
 *     npx wrangler dev examples/report/worker.ts
 */
import * as z from 'zod'
import { inspector } from '../../packages/inspector/src/inspector/index.ts'
import { apps, view } from '../../src/features/apps/index.ts'
import { state } from '../../src/features/state/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import { asks, createEdgeway, createServer } from '../../src/index.ts'
import { report } from './views.generated.ts'

const MONTHS = ['2026-07', '2026-08', '2026-09', '2026-10', '2026-11'] as const

/** How long a month takes, in milliseconds. */
const MONTH_MS = 2000

const month = z.enum(MONTHS)
const sale = z.object({ month, sales: z.int() })
type Sale = z.infer<typeof sale>

interface Draft {
  readonly wanted: readonly string[]
  readonly done: readonly Sale[]
}

const handle = z.string().min(1).max(1000).describe('The draft, as plan_report returned it')

export const server = createServer({
  name: 'reports',
  version: '1.0.0',
  uses: [asks(), state()],
})

server.registerTool(
  'plan_report',
  {
    title: 'Plan a report',
    description: 'Shows the person a form for a report of sales. Without a view, call make_report.',
    outputSchema: z.object({ draft: z.string(), months: z.array(month) }),
    ui: view({ ...report, title: 'Report', prefersBorder: true }),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },
  async (ctx) => ({
    draft: await ctx.state.create({ wanted: [], done: [] } satisfies Draft),
    months: [...MONTHS],
  }),
)

server.registerTool(
  'make_report',
  {
    title: 'Make a report',
    description: `Adds up the sales of months. It takes ${MONTH_MS / 1000} seconds for each.`,
    inputSchema: z.object({
      draft: handle,
      months: z.array(month).min(1).max(MONTHS.length),
    }),
    outputSchema: z.object({ sales: z.array(sale) }),
    task: 'optional',
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },
  async ({ draft, months }, ctx) => {
    const sales: Sale[] = []
    await ctx.state.update(draft, { wanted: months, done: [] })
    for (const month of months) {
      await ctx.sleep(month, MONTH_MS)
      sales.push(await ctx.step(`sales-${month}`, () => ({ month, sales: salesIn(month) })))
      await ctx.state.update(draft, { wanted: months, done: sales })
      await ctx.progress(sales.length, months.length, month)
    }
    return { sales }
  },
)

/** A stand-in for a slow query. */
const salesIn = (month: string) => 400 + ((Number(month.slice(-2)) * 137) % 500)

server.registerTool(
  'report_progress',
  {
    title: 'Progress of a report',
    description: 'Returns how far a report is.',
    inputSchema: z.object({ draft: handle }),
    outputSchema: z.object({ wanted: z.int(), done: z.array(sale) }),
    // Views alone ask for it.
    ui: view({ visibility: ['app'] }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  async ({ draft }, ctx) => {
    const { wanted, done } = await ctx.state.get<Draft>(draft)
    return { wanted: wanted.length, done: [...done] }
  },
)

const edgeway = createEdgeway(server, { features: [apps(), tasks(), inspector()] })

export default edgeway

export class McpObjects extends edgeway.Objects {}
