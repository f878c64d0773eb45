"""Miniature files with the schemas of the three published data sets: nested categories with dots in their
keys, conversations, messages, images and metadata that a reader of votes has no use for."""

from __future__ import annotations

import datetime

import polars as pl

S, B, I32, I64 = pl.String, pl.Boolean, pl.Int32, pl.Int64
PART = pl.Struct({"type": S, "text": S, "image": S, "mimeType": S})
MESSAGE = pl.Struct({"role": S, "content": pl.List(PART)})
COUNTED_MESSAGE = pl.Struct({"role": S, "content": pl.List(PART), "num_tokens": I32})
CRITERIA = (
    "complexity",
    "creativity",
    "domain_knowledge",
    "problem_solving",
    "real_world",
    "specificity",
    "technical_accuracy",
)
CATEGORY_TAG = pl.Struct(
    {
        "creative_writing_v0.1": pl.Struct({"creative_writing": B, "score": S}),
        "criteria_v0.1": pl.Struct(dict.fromkeys(CRITERIA, B)),
        "if_v0.1": pl.Struct({"if": B, "score": I32}),
        "math_v0.1": pl.Struct({"math": B}),
    }
)
ARENA_140K = {
    "id": S,
    "model_a": S,
    "model_b": S,
    "winner": S,
    "evaluation_session_id": S,
    "evaluation_order": I32,
    "conversation_a": pl.List(MESSAGE),
    "conversation_b": pl.List(COUNTED_MESSAGE),
    "full_conversation": pl.List(
        pl.Struct({"user": MESSAGE, "model_side_a": MESSAGE, "model_side_b": MESSAGE})
    ),
    "conv_metadata": pl.Struct({"sum_user_tokens": I32, "turns": I32}),
    "category_tag": CATEGORY_TAG,
    "language": S,
    "is_code": B,
    "timestamp": pl.Datetime("ns"),
}
TIME = datetime.datetime(2025, 5, 1)


def arena_140k(path, rows):
    """rows: (model_a, model_b, winner, session, code, math, creative_writing, instruction_following)."""
    said = [
        {"role": "user", "content": [{"type": "text", "text": "hi, there", "image": None, "mimeType": None}]}
    ]
    counted = [{**said[0], "num_tokens": 3}]
    table = [
        {
            "id": f"id-{number}",
            "model_a": a,
            "model_b": b,
            "winner": winner,
            "evaluation_session_id": session,
            "evaluation_order": 1,
            "conversation_a": [] if number % 3 else said,
            "conversation_b": counted,
            "full_conversation": [{"user": said[0], "model_side_a": said[0], "model_side_b": said[0]}],
            "conv_metadata": {"sum_user_tokens": 600, "turns": 2},
            "category_tag": {
                "creative_writing_v0.1": {
                    "creative_writing": creative,
                    "score": (None, "no", "nononoyesyes")[number % 3],
                },
                "criteria_v0.1": dict.fromkeys(CRITERIA, True),
                "if_v0.1": {"if": instructed, "score": None if number == 0 else 5},
                "math_v0.1": {"math": math},
            },
            "language": ("en", "und", "<err>")[number % 3],
            "is_code": code,
            "timestamp": TIME,
        }
        for number, (a, b, winner, session, code, math, creative, instructed) in enumerate(rows)
    ]
    pl.DataFrame(table, schema=ARENA_140K).write_parquet(path)
    return path


SEARCH_METADATA = pl.Struct(
    {
        "citation_format_standardized": B,
        "client_country": S,
        "conv_id": S,
        "formatted_messages": pl.List(pl.Struct({"content": S, "role": S})),
        "llm_config": pl.Struct({"name": S, "params": pl.Struct({"temperature": pl.Float64})}),
        "llm_trace": pl.List(S),
        "web_search_config": pl.Struct({"context_manager": S, "scrape_engine": S, "search_engine": S}),
        "web_search_trace": pl.List(pl.List(pl.List(S))),
    }
)
SEARCH_ARENA = {
    "model_a": S,
    "model_b": S,
    "winner": S,
    "judge": S,
    "turn": I64,
    "timestamp": pl.Datetime("ns"),
    "messages_a": pl.List(pl.Struct({"content": S, "role": S})),
    "messages_b": pl.List(pl.Struct({"content": S, "role": S})),
    "system_a_metadata": SEARCH_METADATA,
    "system_b_metadata": SEARCH_METADATA,
    "primary_intent": S,
    "secondary_intent": S,
    "languages": pl.List(S),
}


def search_arena(path, rows):
    """rows: (model_a, model_b, winner, judge, primary_intent)."""
    message = [{"content": "what is new?", "role": "user"}]
    metadata = {
        "citation_format_standardized": True,
        "client_country": "PL",
        "conv_id": "c",
        "formatted_messages": message,
        "llm_config": {"name": "shared-name", "params": {"temperature": 0.7}},
        "llm_trace": ["x"],
        "web_search_config": {"context_manager": "m", "scrape_engine": "s", "search_engine": "e"},
        "web_search_trace": [[["a title", "an address"]]],
    }
    table = [
        {
            "model_a": a,
            "model_b": b,
            "winner": winner,
            "judge": judge,
            "turn": 1,
            "timestamp": TIME,
            "messages_a": message,
            "messages_b": message,
            "system_a_metadata": metadata,
            "system_b_metadata": metadata,
            "primary_intent": intent,
            "secondary_intent": "Unassigned",
            "languages": [] if number % 2 else ["English"],
        }
        for number, (a, b, winner, judge, intent) in enumerate(rows)
    ]
    pl.DataFrame(table, schema=SEARCH_ARENA).write_parquet(path)
    return path


CATEGORIES = (
    "captioning",
    "creative_writing",
    "diagram",
    "entity_recognition",
    "homework",
    "humor",
    "is_code",
    "ocr",
)
VISION_ARENA = {
    "images": pl.List(pl.Struct({"bytes": pl.Binary, "path": S})),
    "question_id": S,
    "model_a": S,
    "model_b": S,
    "winner": S,
    "judge": S,
    "conversation_a": pl.List(pl.List(pl.Struct({"content": S, "role": S}))),
    "conversation_b": pl.List(pl.List(pl.Struct({"content": S, "role": S}))),
    "num_turns": I64,
    "language": S,
    "tstamp": pl.Float64,
    "conv_metadata": pl.Struct({"sum_assistant_a_tokens": I64}),
    "categories": pl.Struct({**dict.fromkeys(CATEGORIES, B), "Refusal": B}),
}


def vision_arena(path, rows):
    """rows: (model_a, model_b, winner, judge, true categories); None for a category that is missing."""
    talk = [[{"content": "what is this?", "role": "user"}]]
    table = [
        {
            "images": [{"bytes": b"\x89PNG\x00", "path": None}],
            "question_id": f"q-{number}",
            "model_a": a,
            "model_b": b,
            "winner": winner,
            "judge": judge,
            "conversation_a": talk,
            "conversation_b": talk,
            "num_turns": 1,
            "language": "unknown",
            "tstamp": 1.7e9,
            "conv_metadata": {"sum_assistant_a_tokens": 5},
            "categories": {**{name: name in true for name in CATEGORIES}, "Refusal": True},
        }
        for number, (a, b, winner, judge, true) in enumerate(rows)
    ]
    pl.DataFrame(table, schema=VISION_ARENA).write_parquet(path)
    return path
