/** The params of a factory: the values of a path pattern and of named query parameters. */

/** Values by name, percent-decoded. */
export type FactoryParams = { readonly [name: string]: string }

export const NO_PARAMS: FactoryParams = Object.freeze({})
