/** Keys of `_meta` of tools that hosts read, and that no specification has. Nothing is decided by them here. */

/** Claude Code defers tools behind its own search. It shows one with this key to the model from the start. */
export const ALWAYS_LOAD = { 'anthropic/alwaysLoad': true } as const

/** Claude Code asks the person before each call of such a tool. */
export const REQUIRES_INTERACTION = { 'anthropic/requiresUserInteraction': true } as const

/**
 * What ChatGPT reads of a view and of its tool, where MCP Apps has no member for it.
 *
 * @see https://developers.openai.com/apps-sdk/reference
 */
export const WIDGET_POLICY = 'openai/widgetCSP'
export const WIDGET_DESCRIPTION = 'openai/widgetDescription'
export const INVOCATION = 'openai/toolInvocation/'
