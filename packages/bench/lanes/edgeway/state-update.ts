/** A tool that replaces a value by its handle, if it is the one that the tool expects. */
import { serveState } from './state-tool.ts'

const edgeway = serveState(async (state, handle, text) => {
  await state.update(handle, text, { expected: text })
  return text
})

export default edgeway
export class McpObjects extends edgeway.Objects {}
