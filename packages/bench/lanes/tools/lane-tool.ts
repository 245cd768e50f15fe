/** A tool that every lane registers with the API of its library. */
import type * as z from 'zod'

export interface LaneTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: z.ZodObject
  readonly run: (args: Readonly<Record<string, unknown>>) => Promise<string>
}

/** Name and version of every lane's server. */
export const SERVER_INFO = { name: 'bench', version: '1.0.0' } as const
