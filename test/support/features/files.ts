/** What a tool that makes files says, and a tool that takes one. `npm run without -- files` removes the lines that name it. */
// features: files
import * as z from 'zod'
import { file } from '../../../src/features/files/index.ts'
import type { McpServer } from '../../../src/index.ts'

export const withFiles = { files: true } as const

/** Most bytes of the file that `take` takes. */
export const MAX_TAKEN_BYTES = 30_000_000

/** Registers `take`, which describes the file that it receives, and `take_image`, whose file is small, an image and optional. */
export function registerTake(server: McpServer<unknown>, task?: 'optional'): void {
  server.registerTool(
    'take',
    {
      inputSchema: z.strictObject({ note: z.string() }),
      files: { data: file({ maxBytes: MAX_TAKEN_BYTES }) },
      ...(task && { task }),
    },
    async ({ note }, { files }) => {
      const { name, mimeType, size } = files.data
      return JSON.stringify([name, mimeType, size, await files.data.sha256(), note])
    },
  )
  server.registerTool(
    'take_image',
    { files: { image: file({ maxBytes: 10, types: ['image/*', 'text/csv'], required: false }) } },
    async ({ files }) => {
      if (files.image === undefined) return 'none'
      return `${files.image.name} ${files.image.mimeType} ${await files.image.text()}`
    },
  )
}
