/**
 * What the list of tools has for a client, by its tasks and its forms.
 *
 * A tool that may answer with a handle is listed without its output schema: a handle has no structured content, and the SDKs
 * throw for a result without it. A tool that a client can never call is not listed.
 */
import type { ListView } from '../../../dispatch/listing/list-view.ts'
import { UI_META } from '../../../protocol/apps.ts'
import type { Tool } from '../../../protocol/primitives.ts'
import type { Revision } from '../../../protocol/revisions.ts'
import { hasTasks } from '../../../protocol/tasks.ts'
import type { Definition } from '../../../server/definition.ts'
import { showsForms } from '../../asks/journal/elicitation.ts'
import { asksThroughModel } from '../../asks/through-model.ts'
import type { HeldTools } from './held-answer.ts'

/** The variants of a list: of a client with tasks, and of one without forms on a server that asks through models. */
const TASKS = 't'
const NO_TASKS = 'h'
const NO_FORMS = 'm'

/**
 * @param names of the tools by which calls go on; undefined where the definition has none
 * @param throughModel the option of `asks()`
 */
export function heldView(
  { tools }: Definition,
  { era, features }: Revision,
  names: HeldTools | undefined,
  throughModel: boolean,
): ListView<Tool> | undefined {
  const all = [...tools.values()]
  if (names === undefined && !all.some(({ task }) => task?.support === 'required')) return undefined
  const asking = new Set(
    all.filter((tool) => asksThroughModel(throughModel, tool)).map(({ info }) => info.name),
  )
  // In 2025-11-25, any client may ask for a task: the capability that counts is that of the server.
  const mayCallRequired = (variant: string) =>
    era === 'modern' ? variant.startsWith(TASKS) : features.tasks
  return {
    variantOf: (client) => {
      const hasForms = names?.answer === undefined || showsForms(client.capabilities)
      return (hasTasks(client) ? TASKS : NO_TASKS) + (hasForms ? '' : NO_FORMS)
    },
    listed: (tool, variant) => {
      const asksModel = variant.endsWith(NO_FORMS)
      // A client with tasks and forms needs none of the two.
      if (tool.name === names?.result) return variant === TASKS ? undefined : tool
      if (tool.name === names?.answer) return asksModel ? notForViews(tool) : undefined
      const support = tool.execution?.taskSupport
      if (support === 'required' && !mayCallRequired(variant)) return undefined
      const mayBeHeld = names && !variant.startsWith(TASKS) && support === 'optional'
      const mayAsk = asksModel && asking.has(tool.name)
      if (tool.outputSchema === undefined || !(mayAsk || mayBeHeld)) return tool
      const { outputSchema: _, ...held } = tool
      return held
    },
  }
}

/** Hosts let no view call it. The definition does not say it, because it would need `apps()`. */
const notForViews = (tool: Tool): Tool => ({
  ...tool,
  _meta: { ...tool._meta, [UI_META]: { visibility: ['model'] } },
})
