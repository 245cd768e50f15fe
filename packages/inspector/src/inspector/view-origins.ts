/** Checks the origins of a view, before a policy is made of them. */
import { isViewOrigin, VIEW_ORIGINS } from '../../../../src/protocol/apps.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'

/** Why no policy can be made of `csp`. Entries become parts of a header. */
export function policyFault(csp: unknown): string | undefined {
  if (!isJsonObject(csp)) return '_meta.ui.csp of the view must be an object'
  for (const name of VIEW_ORIGINS) {
    const origins = csp[name] ?? []
    if (!Array.isArray(origins)) return `_meta.ui.csp.${name} of the view must be a list of origins`
    const wrong = origins.find((origin) => !isViewOrigin(name, origin))
    if (wrong !== undefined) {
      return `${JSON.stringify(wrong)} in _meta.ui.csp.${name} of the view must be an origin like https://api.example.com`
    }
  }
  return undefined
}
