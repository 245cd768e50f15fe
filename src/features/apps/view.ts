/** `view()`: the user interface of a tool, for the member `ui` of its config. */
import type { GrantProps } from '../../protocol/auth-info.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { DEFINE, type View, type ViewOptions } from '../../server/view.ts'
import { defineView, toolMeta } from './define-view.ts'

/**
 * The user interface of a tool: `registerTool('chart', { ui: view({ uri, html }) }, …)`. The app needs `apps()`.
 * It has the members of its options: `view({ ...chart, prefersBorder: true })` is one with another option.
 *
 * @throws {TypeError} from `registerTool`, for invalid options
 */
export function view<Env = unknown, Props = GrantProps>(
  options: ViewOptions<Env, Props>,
): View<Env, Props> {
  if (!isJsonObject(options)) throw new TypeError('view() needs { uri, html } or { visibility }')
  const ui = options as ViewOptions<never, never>
  return {
    ...options,
    [DEFINE]: {
      meta: (subject, own) => toolMeta(subject, ui, own),
      resource: (name, config) => defineView(name, ui, config),
    },
  }
}
