/** OpenTelemetry over OTLP/HTTP. An entry of its own, so that only its users have the encoder in their Worker. */
export { type OtlpOptions, otlp } from './otlp.ts'
