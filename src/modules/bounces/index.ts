// The door of the room: what receivers refused, and its history.

export {
  type Bounce,
  type BounceSource,
  type BounceType,
  type Context,
  type NewBounce,
  recordBounces,
} from './record.ts'
export { type BounceRoutesOptions, bounceRoutes } from './routes.ts'
