/** `edgeway/code`. */
export { type Code, type CodeOptions, code } from './code.ts'
