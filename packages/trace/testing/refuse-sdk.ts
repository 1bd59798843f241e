/**
 * What tests load with `node --import` to see that a program loads nothing of OpenTelemetry: it fails where it tries
 * to.
 */
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/')) throw new Error(`${specifier} was loaded`)
    return next(specifier, context)
  },
})
