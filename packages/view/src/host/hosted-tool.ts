/** The tools of the server of a view, and what a view cannot read of their results. */
import { isObject, type Members } from '../frame.ts'
import type { Finding } from './finding.ts'

/** A tool as `tools/list` has it. */
export interface HostedTool {
  readonly name: string
  readonly outputSchema?: unknown
  readonly _meta?: unknown
}

/** The first fault of a value by a JSON Schema. */
export type FaultOf = (schema: Members, value: unknown) => string | undefined

const uiOf = ({ _meta }: HostedTool): Members =>
  isObject(_meta) && isObject(_meta.ui) ? _meta.ui : {}

/** The address of the view of a tool; undefined for a tool without a view. */
export function viewAddress(tool: HostedTool): string | undefined {
  const flat = isObject(tool._meta) ? tool._meta['ui/resourceUri'] : undefined
  const { resourceUri = flat } = uiOf(tool)
  return typeof resourceUri === 'string' ? resourceUri : undefined
}

/** Whether a host lets views call the tool. */
export function isForViews(tool: HostedTool): boolean {
  const { visibility } = uiOf(tool)
  return !Array.isArray(visibility) || visibility.includes('app')
}

/** What the view of a tool cannot read of its result. */
export function resultFindings(
  { name, outputSchema }: HostedTool,
  { structuredContent, isError }: Members,
  faultOf: FaultOf | undefined,
): readonly Finding[] {
  if (isError === true) return []
  if (!isObject(outputSchema)) {
    const message = `${name} has no output schema: give it outputSchema, so that its view has structured content with types`
    return [{ code: 'no-output-schema', message }]
  }
  if (structuredContent === undefined) {
    const message = `The result of ${name} has no structuredContent, as some hosts pass on the text alone: show textOf(result)`
    return [{ code: 'text-alone', message }]
  }
  const fault = faultOf?.(outputSchema, structuredContent)
  if (fault === undefined) return []
  const message = `The output schema of ${name} refuses its result: ${fault}. Correct the handler or the schema`
  return [{ code: 'refused-result', message }]
}
