/** A tool that reads a value by its handle. */
import { serveState } from './state-tool.ts'

const edgeway = serveState((state, handle) => state.get<string>(handle))

export default edgeway
export class McpObjects extends edgeway.Objects {}
