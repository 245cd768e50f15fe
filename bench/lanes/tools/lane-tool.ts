/** A tool as every lane registers it, in its own library's words. */
import type * as z from 'zod'

export interface LaneTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: z.ZodObject
  readonly run: (args: Readonly<Record<string, unknown>>) => Promise<string>
}

/** Who every lane says it is. */
export const SERVER_INFO = { name: 'bench', version: '1.0.0' } as const
