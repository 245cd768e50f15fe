/** The types of the tools of a server, for `connectView<Tools>()`. */

/**
 * The tools that a view may call, by name:
 *
 *     interface Tools {
 *       read_note: { arguments: { id: string }; result: { title: string } }
 *     }
 *
 * `result` is the structured content; `undefined` for a tool without an output schema.
 */
export type ToolMap<Tools> = {
  readonly [Name in keyof Tools]: { readonly arguments: object; readonly result: unknown }
}

/** The tools of a view that names none: any name, unchecked arguments, an unknown result. */
export interface AnyTools {
  readonly [name: string]: {
    readonly arguments: { readonly [name: string]: unknown }
    readonly result: unknown
  }
}

export type NameOf<Tools> = Extract<keyof Tools, string>
export type ArgumentsOf<
  Tools extends ToolMap<Tools>,
  Name extends keyof Tools,
> = Tools[Name]['arguments']
export type ResultOf<Tools extends ToolMap<Tools>, Name extends keyof Tools> = Tools[Name]['result']
