/** Edgeway, bundled from its source. */

import type { KnownFeatures } from '../../../../src/app/edgeway.ts'
import type { FeatureOption } from '../../../../src/feature/index.ts'
import { createEdgeway, type EdgewayOptions, McpServer } from '../../../../src/index.ts'
import { type LaneTool, SERVER_INFO } from '../tools/lane-tool.ts'

export function serve<const Features extends readonly FeatureOption[] = readonly []>(
  tools: readonly LaneTool[],
  options: EdgewayOptions<Features> = {},
) {
  const server = new McpServer(SERVER_INFO)
  for (const { name, title, description, inputSchema, run } of tools) {
    server.registerTool(name, { title, description, inputSchema }, run)
  }
  // The lanes pass lists whose features are known.
  return createEdgeway(server, options as EdgewayOptions<Features> & KnownFeatures<Features>)
}
